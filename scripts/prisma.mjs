/** Prisma's command line, as our scripts run it. */
import { program, root } from './run.mjs';

export const PRISMA = program('prisma/build/index.js');

/**
 * It needs no schema engine to validate a schema or to generate a client, but it downloads one unless it
 * gets the path of an existing file.
 */
export const PRISMA_SETTINGS = {
  PRISMA_SCHEMA_ENGINE_BINARY: `${root}package.json`,
  PRISMA_HIDE_UPDATE_MESSAGE: '1',
  CHECKPOINT_DISABLE: '1',
};
