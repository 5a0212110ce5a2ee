import { isDeepStrictEqual } from 'node:util';
import { DOMAINS, servicesOf, tokensOf } from './callers.js';
import { ask, drive, inTurn } from './load.js';
import { requests, type LoginKind } from './logins.js';
import { floorPath, keysOf } from './measure.js';
import type { Floor, HttpRequest } from './reads.js';
import { CLIENT, OPEN_SESSION, SUBMIT_POSTURE } from './service-reads.js';
import type { Stage } from './stage.js';

type Row = Record<string, unknown>;

/** A write of many callers, each with many arguments; half of the callers are the floor's. */
interface ClientWrite {
  readonly name: string;
  readonly floor: Floor;
  readonly path: string;
  readonly arguments: string;
  readonly body: (argument: string) => object;
  /** Whether the same once more would be another operation. */
  readonly isOnce: boolean;
}

function kindOf({ name, floor, path, body, isOnce, ...write }: ClientWrite): LoginKind {
  const prepare: LoginKind['prepare'] = async (stage) => {
    const tokens = await keysOf(stage, tokensOf(2_000));
    const asked = await keysOf(stage, write.arguments);
    let used = 0;
    const half = tokens.length / 2;
    const pairs = (own: string[]): [token: string, argument: string][] =>
      asked.flatMap((argument) => own.map((token): [string, string] => [token, argument]));
    const pair = inTurn(pairs(tokens.slice(0, half)));
    const floorPair = inTurn(pairs(tokens.slice(half)));
    const next = (): HttpRequest => {
      const [token, argument] = pair();
      used += 1;
      return { method: 'POST', path, body: JSON.stringify(body(argument)), token };
    };
    const floorNext = (): HttpRequest => ({
      method: 'POST',
      path: floorPath(floor, floorPair().join(' ')),
    });
    await compare(stage, name, next(), floorNext());
    // Of clients that stay, the controller remembers API session and posture.
    while (used < half) await ask(stage.controller, next());
    return {
      ...requests(stage, next, (seconds) => drive(stage.floor, floorNext, seconds, '')),
      check: () => {
        if (isOnce && used > asked.length * half) {
          throw new Error('the same was asked for more than once');
        }
      },
    };
  };
  return { name, prepare };
}

/** What differs by nature: two entities of two callers. */
const OWN = [
  '_links',
  'id',
  'token',
  'createdAt',
  'updatedAt',
  'identityId',
  'apiSessionId',
  'apiSession',
];

const withoutOwn = (data: Row): Row =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, OWN.includes(name) ? typeof value : value]),
  );

async function compare(
  { controller, floor }: Stage,
  name: string,
  ours: HttpRequest,
  floors: HttpRequest,
): Promise<void> {
  const { data } = await ask<{ data: Row }>(controller, ours);
  const { data: least } = await ask<{ data: Row }>(floor, floors);
  if (isDeepStrictEqual(withoutOwn(data), withoutOwn(least))) return;
  console.error(JSON.stringify(data), JSON.stringify(least));
  throw new Error(`the floor of "${name}" does not give the same`);
}

/** Posture first: a submission looks at the sessions that rest on it. */
export const SERVICE_WRITES: readonly LoginKind[] = [
  kindOf({
    name: 'client posture response, another state each time',
    floor: SUBMIT_POSTURE,
    path: `${CLIENT}/posture-response`,
    arguments: DOMAINS,
    body: (domain) => ({ id: 'any', typeId: 'DOMAIN', domain }),
    isOnce: false,
  }),
  kindOf({
    name: 'client session for a service, a new one each time',
    floor: OPEN_SESSION,
    path: `${CLIENT}/sessions`,
    arguments: servicesOf(2_000),
    body: (serviceId) => ({ serviceId, type: 'Dial' }),
    isOnce: true,
  }),
];
