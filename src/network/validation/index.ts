export { compareCircuits } from './compare-circuits.js';
export { compareIdentityConnections } from './compare-identity-connections.js';
export { compareLinks } from './compare-links.js';
export { compareTerminators } from './compare-terminators.js';
export { optionalRouterValue, routerValue, type NamedValue } from './router-value.js';
export {
  notValidated,
  resultOfErrors,
  resultOfParts,
  ValidationFault,
  type ValidationResult,
} from './validation-result.js';
