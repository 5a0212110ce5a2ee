import { statSync } from 'node:fs';
import type { Config } from '../configuration.js';
import type { ControllerFacts } from '../../graph/index.js';
import { builtProgram, productVersion } from '../../base/program-folder.js';

/**
 * The version for clients, which compare it with releases of the reference controller to decide
 * which features they use. This product has the interfaces of that release line.
 */
export const COMPATIBLE_VERSION = 'v1.6.8';

/** The facts that this build reports about itself. */
export function buildFacts(config: Config, instanceId: string): ControllerFacts {
  const { host, port } = config.advertise;
  return {
    advertise: `${host}:${String(port)}`,
    version: COMPATIBLE_VERSION,
    revision: `overgraph-${productVersion()}`,
    buildDate: statSync(builtProgram('main')).mtime.toISOString().slice(0, 19).replace('T', ' '),
    instanceId,
  };
}
