import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.js';
import type { ControllerFacts } from '../graph/index.js';
import { productVersion } from '../base/program-folder.js';

/**
 * Clients compare the version with those of the reference controller to decide what they may use:
 * ours promises the interfaces of that release line.
 */
export const COMPATIBLE_VERSION = 'v1.6.8';

/** Written at the end of every build; compiled files stay as they are when their source does. */
const BUILD_STAMP = fileURLToPath(new URL('../../.sources-digest', import.meta.url));

/** What this build says of itself. */
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
