import { describe, expect, test } from '@jest/globals';
import { findings, NO_FINDING_FACTS } from '../../../src/access/analysis/index.js';
import type { AccessModel, FoundFinding, FindingKind } from '../../../src/access/analysis/index.js';
import { nearDuplicates } from '../../../src/access/analysis/findings/near-duplicates.js';
import { indexOf } from './random-network.js';
import { rowsOf } from './table-network.js';
import { toEnd } from '../../../src/base/slices.js';

const findingsOf = (model: AccessModel, kind: FindingKind): FoundFinding[] =>
  toEnd(findings(model, NO_FINDING_FACTS, [kind]));

describe('findings', () => {
  test('of an entity with very many attributes do not repeat them all', () => {
    const names = Array.from({ length: 3_000 }, (_, i) => `only ${String(i)}`);
    const rows = rowsOf({ identity: { many: names, few: ['alone'] } });
    const changes = findingsOf(indexOf(rows), 'ATTRIBUTE_USED_ONCE').map((finding) => [
      finding.entities[0]?.id,
      finding.changes.length,
    ]);
    expect(changes).toHaveLength(names.length + 1);
    expect(new Set(changes.map((change) => change.join(' ')))).toEqual(
      new Set(['few 1', 'many 0']),
    );
  });

  test('about thousands of attributes that are all alike are few for each of them', () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `a${'-'.repeat(i)}b`);
    const rows = rowsOf({ identity: { many: names } });
    const duplicates = findingsOf(indexOf(rows), 'NEAR_DUPLICATE_ATTRIBUTE');
    expect(duplicates.length).toBeGreaterThanOrEqual(names.length - 1);
    expect(duplicates.length).toBeLessThanOrEqual(25 * names.length);
  });

  test('about a hundred attributes that are all alike name each pair', () => {
    const names = Array.from({ length: 100 }, (_, i) => `a${'-'.repeat(i)}b`);
    expect(nearDuplicates(names)).toHaveLength((100 * 99) / 2);
  });
});
