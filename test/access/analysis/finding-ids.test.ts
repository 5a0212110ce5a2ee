import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  findingId,
  findings,
  findingsWithout,
  hasFinding,
  NO_FINDING_FACTS,
} from '../../../src/access/analysis/index.js';
import type {
  FoundFinding,
  FindingFacts,
  FindingKind,
} from '../../../src/access/analysis/index.js';
import { indexOf, networkOf } from './random-network.js';
import { rowsOf } from './table-network.js';
import type { TableNetwork } from './table-network.js';
import { runs } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

/** An id names a fact: it is the same as long as the fact is, and no other fact has it. */

const table = JSON.parse(readFileSync(new URL('findings.json', import.meta.url), 'utf8')) as {
  base: TableNetwork;
  cases: { it: string; with: TableNetwork }[];
};

const FACTS: FindingFacts = {
  ...NO_FINDING_FACTS,
  unverifiedAuthorities: [{ id: 'e1', uses: 3 }],
  adminsWithoutSecondFactor: ['e1', 'e2'],
  accessRules: [
    {
      id: 'e1',
      kind: 'MUST_REACH',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles: ['#all'],
    },
  ],
};

const findingsIn = (rows: ReturnType<typeof rowsOf>, facts = FACTS): FoundFinding[] =>
  toEnd(findings(indexOf(rows), facts));
const idsOf = (all: readonly FoundFinding[]): string[] => all.map(findingId);
const inTable = (...parts: TableNetwork[]): FoundFinding[] =>
  findingsIn([table.base, ...parts].flatMap((part) => rowsOf(part)));

const only = (all: readonly FoundFinding[], kind: FindingKind): FoundFinding => {
  const [one, ...more] = all.filter((finding) => finding.kind === kind);
  if (!one || more.length > 0) throw new Error(`${kind}: ${String(more.length + 1)}`);
  return one;
};

describe('the id of a finding', () => {
  test.each(table.cases)('is of one finding alone: $it', ({ with: more }) => {
    const ids = idsOf(inTable(more));
    expect(ids.filter((id) => !/^[0-9a-f]{20}$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is of one finding alone in any network, in any order of its rows', () => {
    fc.assert(
      fc.property(networkOf(), (rows) => {
        const ids = idsOf(findingsIn(rows));
        expect(new Set(ids).size).toBe(ids.length);
        expect(idsOf(findingsIn(rows.toReversed()))).toEqual(ids);
      }),
      runs(20),
    );
  });

  test('is the same next year, on any machine', () => {
    const all = findingsIn(rowsOf(table.base), {
      ...NO_FINDING_FACTS,
      adminsWithoutSecondFactor: ['ann'],
    });
    // The first 20 digits of: printf '["ADMIN_WITHOUT_SECOND_FACTOR","identity","ann",null,null]' | sha256sum
    expect(idsOf(all)).toEqual(['d28734b73dc4354fd196']);
  });

  test('stays while the rest of the network changes', () => {
    const before = inTable({ identity: { cy: ['lonely'] } });
    const after = inTable({ identity: { abe: ['staff'], cy: ['staff', 'lonely'] } });
    expect(findingId(only(after, 'ATTRIBUTE_USED_ONCE'))).toBe(
      findingId(only(before, 'ATTRIBUTE_USED_ONCE')),
    );
  });

  test('stays when an authority is used more often', () => {
    const unverified = (uses: number): string =>
      findingId(
        only(
          findingsIn([], { ...NO_FINDING_FACTS, unverifiedAuthorities: [{ id: 'ca', uses }] }),
          'UNVERIFIED_AUTHORITY',
        ),
      );
    expect(unverified(7)).toBe(unverified(1));
  });

  test('of two similar attributes stays whichever is the more common, and whoever has it', () => {
    const similar = (...holders: [string, string][]): FoundFinding =>
      only(
        inTable({ identity: Object.fromEntries(holders.map(([id, name]) => [id, [name]])) }),
        'NEAR_DUPLICATE_ATTRIBUTE',
      );
    const one = similar(['cy', 'berlin'], ['dan', 'berlin'], ['eve', 'berlni']);
    const other = similar(
      ['abe', 'berlni'],
      ['cy', 'berlni'],
      ['dan', 'berlin'],
      ['eve', 'berlni'],
    );
    expect([one.about, other.about]).toEqual(['berlni', 'berlin']);
    expect(findingId(other)).toBe(findingId(one));
  });

  test('of similar attributes is another for each kind of entity', () => {
    const roles = { identities: ['#berlni'], services: ['#berlni'] };
    const all = inTable({
      identity: { cy: ['berlin'], dan: ['berlin'] },
      service: { web: ['berlin'], ftp: ['berlin'] },
      servicePolicy: { more: { type: 'Dial', semantic: 'AnyOf', postureChecks: [], ...roles } },
    }).filter(({ kind }) => kind === 'NEAR_DUPLICATE_ATTRIBUTE');
    expect(all.map(({ entities }) => entities)).toEqual([
      [{ kind: 'servicePolicy', id: 'more' }],
      [{ kind: 'servicePolicy', id: 'more' }],
    ]);
    expect(new Set(idsOf(all)).size).toBe(2);
  });

  test('is another for a role on another side', () => {
    const policy = { type: 'Dial', semantic: 'AnyOf', postureChecks: [] };
    const all = inTable({
      servicePolicy: { more: { ...policy, identities: ['#ghosts'], services: ['#ghosts'] } },
    }).filter(({ kind }) => kind === 'ROLE_MATCHES_NOTHING');
    expect(all).toHaveLength(2);
    expect(new Set(idsOf(all)).size).toBe(2);
  });
});

describe('findings by their ids', () => {
  test('are left out, and looked for', () => {
    fc.assert(
      fc.property(networkOf(), fc.array(fc.nat(), { maxLength: 5 }), (rows, places) => {
        const all = findingsIn(rows);
        const left = all.filter((_, i) => places.includes(i));
        const others = toEnd(findingsWithout(all, new Set([...idsOf(left), 'of no finding'])));
        expect(others).toEqual(all.filter((finding) => !left.includes(finding)));
        for (const id of idsOf(left)) {
          expect(toEnd(hasFinding(all, id))).toBe(true);
          expect(toEnd(hasFinding(others, id))).toBe(false);
        }
      }),
      runs(5),
    );
  });
});
