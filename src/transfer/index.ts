export { exportNetwork } from './export-network.js';
export type { Fault } from './fault.js';
export {
  importNetwork,
  type ImportCount,
  type ImportedEntity,
  type ImportProgress,
  type ImportResult,
} from './import-network.js';
export { sectionNames } from './section.js';
