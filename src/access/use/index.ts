export { AccessUses } from './access-uses.js';
