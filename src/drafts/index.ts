export { rehearse } from './write-changes.js';
