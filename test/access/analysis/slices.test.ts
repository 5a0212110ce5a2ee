import { describe, expect, test } from '@jest/globals';
import { accessTotal, withoutDanglingRoles } from '../../../src/access/analysis/index.js';
import { indexOf } from './random-network.js';
import { inSlices, toEnd, type Sliced } from '../../../src/base/slices.js';

describe('work in slices', () => {
  /** Six steps of 3 ms each. */
  function* work(advance: () => void): Sliced<string> {
    for (let i = 0; i < 6; i += 1) {
      advance();
      yield;
    }
    return 'done';
  }

  test('lets others run whenever its time is up', async () => {
    let time = 0;
    const pauses: number[] = [];
    const result = await inSlices(
      work(() => (time += 3)),
      {
        now: () => time,
        yieldNow: () => {
          pauses.push(time);
          time += 100;
          return Promise.resolve();
        },
        slice: 6,
      },
    );
    expect(result).toBe('done');
    expect(pauses).toEqual([6, 112, 218]);
  });

  test('is done at once when nobody waits', () => {
    expect(toEnd(work(() => undefined))).toBe('done');
  });

  test('never goes far without stopping', () => {
    const index = indexOf([]);
    for (let i = 0; i < 5000; i += 1) {
      index.putEntity('identity', { id: `i${i}`, attributes: [`a${i}`] });
    }
    index.putEntity('service', { id: 's', attributes: [] });
    for (let i = 0; i < 100; i += 1) index.putEntity('service', { id: `s${i}`, attributes: [] });
    index.putPolicy('servicePolicy', {
      id: 'p',
      type: 'Dial',
      semantic: 'AnyOf',
      roles: { identities: ['#all'], services: ['#all'], postureChecks: [] },
    });
    let steps = 0;
    for (const total = accessTotal(index, {}); total.next().done !== true;) steps += 1;
    expect(steps).toBeGreaterThan(5000 / 128);
  });
});

describe('changes with what the store does by itself', () => {
  test('take the role of a deleted entity from every policy, before it is created anew', () => {
    const index = indexOf([
      { kind: 'identity', id: 'i', value: { attributes: [] } },
      {
        kind: 'servicePolicy',
        id: 'p',
        value: {
          type: 'Dial',
          semantic: 'AnyOf',
          roles: { identities: ['#staff', '@i'], services: ['@i'], postureChecks: [] },
        },
      },
      {
        kind: 'edgeRouterPolicy',
        id: 'p',
        value: { semantic: 'AnyOf', roles: { identities: ['@i'], edgeRouters: ['#all'] } },
      },
    ]);
    const deletion = { kind: 'identity', id: 'i', value: null } as const;
    const creation = { kind: 'identity', id: 'i', value: { attributes: ['new'] } } as const;
    expect(withoutDanglingRoles(index, [deletion, creation])).toEqual([
      deletion,
      {
        kind: 'servicePolicy',
        id: 'p',
        value: {
          type: 'Dial',
          semantic: 'AnyOf',
          roles: { identities: ['#staff'], services: ['@i'], postureChecks: [] },
        },
      },
      {
        kind: 'edgeRouterPolicy',
        id: 'p',
        value: { semantic: 'AnyOf', roles: { identities: [], edgeRouters: ['#all'] } },
      },
      creation,
    ]);
  });
});
