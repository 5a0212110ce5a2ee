import { describe, expect, test } from '@jest/globals';
import { FailedLoginGroups } from '../../../src/trust/auth/failed-login-groups.js';
import type { FailedLoginCount, FailedLoginGroup } from '../../../src/data/rows/login/index.js';

/* However many addresses and usernames an attacker has, the groups of an hour stay few, and fair. */

const HOUR = new Date('2026-05-01T10:00:00Z');

/** The largest number of groups of an hour: 300, twice 60, and one for each reason and method. */
const MAX_GROUPS = 300 + 60 + 60;

interface Failure {
  readonly from?: string;
  /** Empty: the username does not exist. */
  readonly to?: string;
  readonly refusal?: FailedLoginGroup['refusal'];
  readonly hour?: Date;
  readonly count?: number;
}

const failure = ({
  from = '10.0.0.1',
  to = '',
  hour = HOUR,
  ...more
}: Failure): FailedLoginCount => ({
  hour,
  method: 'password',
  refusal: to === '' ? 'UNKNOWN_USERNAME' : 'WRONG_PASSWORD',
  sender: from,
  owner: to === '' ? 'UNKNOWN' : 'IDENTITY',
  identityId: to === '' ? null : to,
  count: 1,
  lastAt: hour,
  ...more,
});

function grouped(failures: readonly Failure[], existing: readonly FailedLoginGroup[] = []) {
  const groups = new FailedLoginGroups(existing);
  for (const each of failures) groups.add(failure(each));
  return groups.added;
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const address = (i: number): string => `10.1.${String(i >> 8)}.${String(i & 255)}`;
const total = (groups: readonly FailedLoginCount[]): number =>
  groups.reduce((sum, { count }) => sum + count, 0);
const of = (groups: readonly FailedLoginCount[], match: Partial<FailedLoginCount>) =>
  groups.filter((group) =>
    Object.entries(match).every(([name, value]) => group[name as keyof typeof group] === value),
  );

test('failures with one reason, address and identity are counted together', () => {
  const groups = grouped([{ to: 'ada' }, { to: 'ada' }, { to: 'ada', from: '10.0.0.2' }]);
  expect(groups).toStrictEqual([
    { ...failure({ to: 'ada' }), count: 2 },
    failure({ to: 'ada', from: '10.0.0.2' }),
  ]);
});

test.each<[string, Failure]>([
  ['reason', { to: 'ada', refusal: 'IDENTITY_DISABLED' }],
  ['identity', { to: 'bob' }],
  ['address', { to: 'ada', from: '10.0.0.2' }],
  ['hour', { to: 'ada', hour: new Date('2026-05-01T11:00:00Z') }],
])('another %s is another group', (_, other) => {
  expect(grouped([{ to: 'ada' }, other])).toHaveLength(2);
});

test('a group has the time of its last failure, in whatever order they come', () => {
  const groups = new FailedLoginGroups();
  for (const minute of ['05', '20', '10']) {
    groups.add({ ...failure({ to: 'ada' }), lastAt: new Date(`2026-05-01T10:${minute}:00Z`) });
  }
  expect(groups.added).toMatchObject([{ count: 3, lastAt: new Date('2026-05-01T10:20:00Z') }]);
});

describe('a flood', () => {
  test('of usernames that do not exist takes one group of each address', () => {
    expect(grouped(times(10_000, () => ({})))).toMatchObject([{ owner: 'UNKNOWN', count: 10_000 }]);
  });

  test('from many addresses leaves the place of identities free', () => {
    const flood = times(10_000, (i) => ({ from: address(i) }));
    const groups = grouped([...flood, { to: 'ada', from: '10.9.9.9' }]);
    expect(of(groups, { identityId: 'ada' })).toStrictEqual([
      failure({ to: 'ada', from: '10.9.9.9' }),
    ]);
    expect(of(groups, { owner: 'UNKNOWN', sender: null })).toMatchObject([{ count: 10_000 - 60 }]);
    expect(total(groups)).toBe(10_001);
  });

  test('of one identity from many addresses is added up by the identity', () => {
    const flood = times(1_000, (i) => ({ to: 'ada', from: address(i) }));
    const groups = grouped([...flood, { to: 'bob', from: '10.9.9.9' }]);
    expect(of(groups, { identityId: 'ada', sender: null })).toMatchObject([{ count: 985 }]);
    expect(of(groups, { identityId: 'ada' })).toHaveLength(16);
    expect(of(groups, { identityId: 'bob', sender: '10.9.9.9' })).toHaveLength(1);
  });

  test('from one address at many identities is added up by the address', () => {
    const flood = times(1_000, (i) => ({ to: `person-${String(i)}`, from: '10.6.6.6' }));
    const groups = grouped([...flood, { to: 'bob', from: '10.9.9.9' }]);
    expect(of(groups, { sender: '10.6.6.6', owner: 'SEVERAL' })).toMatchObject([
      { identityId: null, count: 985 },
    ]);
    expect(of(groups, { sender: '10.6.6.6' })).toHaveLength(16);
    expect(of(groups, { identityId: 'bob', sender: '10.9.9.9' })).toHaveLength(1);
  });

  test('of everything at once loses no failure, and keeps the bound', () => {
    const reasons = ['WRONG_PASSWORD', 'TOO_MANY_LOGINS', 'IDENTITY_DISABLED'] as const;
    const groups = grouped(
      times(20_000, (i) => ({
        to: i % 4 === 0 ? '' : `person-${String((i * 7_919) % 997)}`,
        from: address((i * 104_729) % 4_001),
        refusal: reasons[i % 3] ?? 'WRONG_PASSWORD',
      })),
    );
    expect(total(groups)).toBe(20_000);
    // Two groups of each reason have neither an address nor an identity.
    expect(groups.length).toBeLessThanOrEqual(MAX_GROUPS + 2 * reasons.length);
    const kinds = new Set(groups.map(({ owner, sender }) => `${owner} ${String(sender !== null)}`));
    expect(kinds.size).toBe(6);
  });
});

describe('groups of several processes', () => {
  test('are bounded together', () => {
    const first = grouped(times(500, (i) => ({ to: `person-${String(i)}`, from: address(i) })));
    const second = times(500, (i) => ({ to: `other-${String(i)}`, from: address(i + 999) }));
    const added = grouped(second, first);
    expect(total(added)).toBe(500);
    const all = new Set([...first, ...added].map(keyOf));
    expect(all.size).toBe(MAX_GROUPS + 1);
  });

  test('keep their places when others come', () => {
    const existing = grouped(times(500, (i) => ({ to: `person-${String(i)}`, from: address(i) })));
    const added = grouped(
      [7, 499].map((i) => ({ to: `person-${String(i)}`, from: address(i) })),
      existing,
    );
    expect(added).toMatchObject([
      { identityId: 'person-7', sender: address(7), count: 1 },
      { owner: 'SEVERAL', sender: null, count: 1 },
    ]);
  });
});

const keyOf = ({ owner, identityId, sender }: FailedLoginGroup): string =>
  JSON.stringify([owner, identityId, sender]);
