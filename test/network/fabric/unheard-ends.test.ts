import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Circuit } from '../../../src/network/fabric/circuit.js';
import { CircuitEnds } from '../../../src/network/fabric/circuit-ends.js';

/* Routers hear of every end of a circuit, also of those that they missed. */

const SECOND = 1_000;

let now: number;
let connected: Set<string>;
/** The orders that were sent: `router circuit now`. */
let sent: string[];
let ends: CircuitEnds;

beforeEach(() => {
  now = Date.parse('2026-03-01T08:00:00Z');
  connected = new Set(['a', 'b']);
  sent = [];
  const routers = {
    isConnected: (id: string) => connected.has(id),
    unroute: (router: string, circuit: string, isNow: boolean) =>
      sent.push(`${router} ${circuit} ${String(isNow)}`),
  };
  ends = new CircuitEnds(routers, () => new Date(now));
});

/** Ends a circuit over the routers a and b. */
function end(id: string): void {
  const routerIds = ['a', 'b'];
  const names = { sessionId: '', serviceId: '', identityId: '', hostId: '', terminatorId: '' };
  const ways = { instanceId: '', binding: '', linkIds: [], ingress: '', egress: '' };
  const circuit: Circuit = { id, ...names, ...ways, routerIds, createdAt: new Date(now) };
  ends.add(circuit);
  ends.unroute(routerIds, id, false);
}

/** The orders that a router gets when it is connected again. */
function heardOnReturn(routerId: string): string[] {
  sent = [];
  connected.add(routerId);
  ends.tell(routerId);
  return sent;
}

describe('a router that is connected', () => {
  test('hears of an end at once, and not again', () => {
    end('1');
    expect(sent).toEqual(['a 1 false', 'b 1 false']);
    expect(heardOnReturn('a')).toEqual([]);
  });
});

describe('a router that was away', () => {
  test('hears of the ends meanwhile, once, however long it was away', () => {
    connected.delete('b');
    end('1');
    expect(sent).toEqual(['a 1 false']);
    now += 86_400 * SECOND;
    expect(heardOnReturn('b')).toEqual(['b 1 true']);
    expect(heardOnReturn('b')).toEqual([]);
  });

  test('hears again of the ends of the time in which its loss may not have been seen', () => {
    end('before');
    now += 60 * SECOND;
    end('1');
    now += 60 * SECOND;
    connected.delete('b');
    ends.connectionLost('b');
    end('2');
    expect(heardOnReturn('b')).toEqual(['b 1 true', 'b 2 true']);
    expect(heardOnReturn('a')).toEqual([]);
  });

  test('hears of nothing if it was started anew', () => {
    end('1');
    connected.delete('b');
    ends.connectionLost('b');
    end('2');
    ends.forget('b');
    expect(heardOnReturn('b')).toEqual([]);
  });
});

test('a circuit that has ended is still there for the last report of its bytes', () => {
  end('1');
  expect(ends.lately('1')?.id).toBe('1');
  expect(ends.lately('2')).toBeUndefined();
});
