import { restRows, type RestRow } from '../../rest-compat/index.js';
import { buildGraph, Executor, operations } from '../../src/graph/index.js';
import { catalog } from '../../src/resources/index.js';

let executor: Promise<Executor> | undefined;

/** An executor for all controllers of a test file. */
export const graphOnce = (): Promise<Executor> =>
  (executor ??= buildGraph(catalog, operations).then((schema) => new Executor(schema)));

/** Every operation of both REST interfaces. */
export const allRestRows = async (): Promise<readonly RestRow[]> =>
  restRows(catalog, (await graphOnce()).schema);
