export {
  builtinConfigTypes,
  type BuiltinConfigType,
  type ConfigTypeTarget,
} from './builtin/builtin-config-types.js';
export { checkConfigData } from './check-config-data.js';
export { checkSchema } from './check-schema.js';
export type { JsonSchema } from '../../base/json-schema.js';
