export { ContextFactory } from './context-factory.js';
export { addDataCare, INTEGRITY, SNAPSHOTS, type DataCareParts } from './data-care.js';
export { Executor, type CompiledOperation } from './executor.js';
export { FACTS, SPECS, type ControllerFacts } from './facts.js';
export { apiErrorOf } from './format-error.js';
export { operations } from './operations/index.js';
export { buildGraph } from './schema.js';
export { graphqlRouter } from './server.js';
