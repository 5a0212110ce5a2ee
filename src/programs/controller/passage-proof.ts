import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { hostPortOf, hostPortText } from '../../base/host-port.js';
import type { NetworkEnd } from '../../network/control/index.js';

/*
 * A controller that passes a connection on to the one that serves the routers says so first. The other one
 * answers with a challenge, and the first one with the address of the router and a proof that both have
 * the same secret key. So strangers can neither pass for a controller nor name another address as their
 * own. After the verdict the bytes of the router follow, which neither of them has read.
 */

/** The first bytes of a connection that is passed on: no start of a handshake. */
export const PASSAGE_HEAD = Buffer.from('overgraph-passage-1\n');

export const CHALLENGE_BYTES = 32;
/** After so long without a byte the system asks whether the other machine is still there. */
export const KEEP_ALIVE_MILLIS = 10_000;
const ADDRESS_BYTES = 64;
const MAC_BYTES = 32;
export const PROOF_BYTES = ADDRESS_BYTES + MAC_BYTES;

/** The verdict: the connection is served. Any other byte: this controller does not serve routers now. */
export const ACCEPTED = 1;
export const REFUSED = 0;

/** The answer to a challenge. */
export function proofOf(secretKey: Buffer, challenge: Buffer, router: NetworkEnd): Buffer {
  const { host = '', port = 0 } = router;
  const address = Buffer.alloc(ADDRESS_BYTES);
  address.write(hostPortText({ host, port }));
  return Buffer.concat([address, macOf(secretKey, challenge, address)]);
}

/** Gives the address of the router in a proof; undefined for a wrong one. */
export function routerIn(
  secretKey: Buffer,
  challenge: Buffer,
  proof: Buffer,
): NetworkEnd | undefined {
  const address = proof.subarray(0, ADDRESS_BYTES);
  const mac = proof.subarray(ADDRESS_BYTES);
  if (!timingSafeEqual(mac, macOf(secretKey, challenge, address))) return undefined;
  return hostPortOf(address.toString('utf8').replaceAll('\0', '')) ?? {};
}

const macOf = (secretKey: Buffer, challenge: Buffer, address: Buffer): Buffer =>
  createHmac('sha256', passageKey(secretKey)).update(challenge).update(address).digest();

const passageKey = (secretKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'overgraph passage v1', 32));
