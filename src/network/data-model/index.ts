export { encodedChangeSet, encodedSyntheticSet } from './change-sets.js';
export { DataModelSource, type DataModelListener } from './data-model-source.js';
export type { PublishedModel, SetPosition } from './published-model.js';
