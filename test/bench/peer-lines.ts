import { CLIENT, loginRequest, MANAGEMENT, USER, type Peer } from './peer-network.js';
import type { HttpRequest } from './reads.js';
import { unique } from './writes.js';

/** What is asked of both controllers. */
export interface PeerLine {
  readonly name: string;
  readonly next: (peer: Peer, identities: number) => HttpRequest;
}

const managed = (path: (peer: Peer, identities: number) => string): PeerLine['next'] => {
  return (peer, identities) => ({
    method: 'GET',
    path: `${MANAGEMENT}/${path(peer, identities)}`,
    token: peer.token,
  });
};

const own = (path: string): PeerLine['next'] => {
  return ({ userToken }) => ({ method: 'GET', path: `${CLIENT}/${path}`, token: userToken });
};

const filtered = (filter: string): string =>
  `identities?limit=25&filter=${encodeURIComponent(filter)}`;

const write =
  (
    method: 'POST' | 'PATCH',
    path: (peer: Peer) => string,
    body: (peer: Peer) => object,
    token: (peer: Peer) => string = (peer) => peer.token,
  ): PeerLine['next'] =>
  (peer) => ({ method, path: path(peer), body: JSON.stringify(body(peer)), token: token(peer) });

export const PEER_LINES: readonly PeerLine[] = [
  { name: 'list identities, page of 25', next: managed(() => 'identities?limit=25') },
  {
    name: 'list identities, page at 90 %',
    next: managed((_, n) => `identities?limit=25&offset=${String(Math.floor(n * 0.9))}`),
  },
  {
    name: 'list identities, name contains',
    next: managed(() => filtered('name contains "0012"')),
  },
  {
    name: 'list identities, by attribute',
    next: managed(() => filtered('anyOf(roleAttributes) = "x7"')),
  },
  {
    name: 'list identities, sort by name desc',
    next: managed(() => `identities?limit=25&sort=${encodeURIComponent('name desc')}`),
  },
  { name: 'identity detail', next: managed(({ identity }) => `identities/${identity}`) },
  { name: 'list services, page of 25', next: managed(() => 'services?limit=25') },
  { name: 'list service policies', next: managed(() => 'service-policies?limit=25') },
  {
    name: 'identities of a policy',
    next: managed(({ policy }) => `service-policies/${policy}/identities?limit=25`),
  },
  {
    name: 'services of an identity',
    next: managed(({ identity }) => `identities/${identity}/services?limit=25`),
  },
  {
    name: 'policy advice',
    next: managed(({ identity, service }) => `identities/${identity}/policy-advice/${service}`),
  },
  { name: 'client: list own services', next: own('services?limit=25') },
  { name: 'client: service-updates', next: own('current-api-session/service-updates') },
  { name: 'client: current identity', next: own('current-identity') },
  {
    name: 'client: session for a service',
    next: write(
      'POST',
      () => `${CLIENT}/sessions`,
      ({ ownService }) => ({ serviceId: ownService, type: 'Dial' }),
      ({ userToken }) => userToken,
    ),
  },
  { name: 'password login', next: () => loginRequest(USER) },
  {
    name: 'create identity, 4 attributes',
    next: write(
      'POST',
      () => `${MANAGEMENT}/identities`,
      () => ({
        name: unique('identity'),
        type: 'Default',
        isAdmin: false,
        roleAttributes: ['a1', 'b1', 'c1', 'x1'],
      }),
    ),
  },
  {
    name: 'edit a policy (patch name)',
    next: write(
      'PATCH',
      ({ policy }) => `${MANAGEMENT}/service-policies/${policy}`,
      () => ({ name: unique('policy') }),
    ),
  },
];
