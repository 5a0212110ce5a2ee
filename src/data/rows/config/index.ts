export { typedConfigs } from './configs.js';
export * as configTypes from './config-type-rows.js';
