export { encodedChangeSet, encodedSyntheticSet, encodedValidation } from './change-sets.js';
export { DataModelSource, type DataModelListener } from './data-model-source.js';
export type { FullState, PublishedModel, SetPosition } from './published-model.js';
