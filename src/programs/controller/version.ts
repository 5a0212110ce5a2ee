import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Config } from '../configuration.js';
import type { Capability, ControllerFacts } from '../../graph/index.js';
import { builtProgram, productVersion } from '../../base/program-folder.js';

/**
 * The version for clients and routers, which compare it with releases of the public controller. It
 * is the highest one with which all of them work; docs/compatibility.md says what each reads in it.
 */
export const COMPATIBLE_VERSION = 'v2.0.3';

/**
 * Clients that see the first log in over OpenID Connect alone; by the second, a login may ask for a
 * certificate.
 */
const OIDC_CAPABILITIES: readonly Capability[] = ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'];

/** The facts that this build reports about itself, as a controller of a network. */
export function buildFacts(config: Config, networkId: string): ControllerFacts {
  const { host, port } = config.advertise;
  const served: ServedFacts = {
    version: COMPATIBLE_VERSION,
    revision: `overgraph-${productVersion()}`,
    capabilities: config.oidc.mode === 'announce' ? OIDC_CAPABILITIES : [],
  };
  return {
    ...served,
    advertise: `${host}:${String(port)}`,
    buildDate: statSync(builtProgram('main')).mtime.toISOString().slice(0, 19).replace('T', ' '),
    instanceId: instanceIdOf(networkId, served),
  };
}

/** The facts that clients decide by. */
type ServedFacts = Pick<ControllerFacts, 'version' | 'revision' | 'capabilities'>;

/** Bytes of a digest that tell deployments apart. */
const INSTANCE_ID_BYTES = 16;

/**
 * A digest, since every answer shows it to everybody. Facts of one controller, such as its address,
 * have no part in it: clients behind a balancer would read the version with nearly each request.
 */
export function instanceIdOf(
  networkId: string,
  { version, revision, capabilities }: ServedFacts,
): string {
  const facts = JSON.stringify([networkId, version, revision, [...capabilities].sort()]);
  return createHash('sha256').update(facts).digest().subarray(0, INSTANCE_ID_BYTES).toString('hex');
}
