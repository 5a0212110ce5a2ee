import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.js';
import type { ControllerFacts } from '../graph/index.js';
import { productVersion } from '../base/program-folder.js';

/**
 * The version for clients, which compare it with releases of the reference controller to decide
 * which features they use. This product has the interfaces of that release line.
 */
export const COMPATIBLE_VERSION = 'v1.6.8';

/** A file that every build writes at its end; unchanged compiled files keep their time. */
const BUILD_STAMP = fileURLToPath(new URL('../../.sources-digest', import.meta.url));

/** The facts that this build reports about itself. */
export function buildFacts(config: Config, instanceId: string): ControllerFacts {
  const { host, port } = config.advertise;
  const built =
    statSync(BUILD_STAMP, { throwIfNoEntry: false }) ?? statSync(fileURLToPath(import.meta.url));
  return {
    advertise: `${host}:${String(port)}`,
    version: COMPATIBLE_VERSION,
    revision: `overgraph-${productVersion()}`,
    buildDate: built.mtime.toISOString().slice(0, 19).replace('T', ' '),
    instanceId,
  };
}
