export { documentOf, type EntityPart } from './document-of.js';
export { isPower } from './exceptions.js';
export { exportNetwork } from './export-network.js';
export { importNetwork, ImportResult, ImportState } from './import-network.js';
export { inputFault, inputOf } from './input.js';
export { replaceReferences } from './references.js';
export type { PlannedChanges } from './planned-changes.js';
export { planRows, type PlannedImport, type PlannedRow } from './simulate-import.js';
export { sectionsOf, type Reference, type Section } from './section.js';
