export { typedConfigs } from './configs.js';
export * as configTypes from './config-types.js';
