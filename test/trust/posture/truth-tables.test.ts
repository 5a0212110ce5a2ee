import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  evaluateCheck,
  noPostureData,
  noSessionPosture,
  postureCheckTypeIds,
  type PostureCheckSpec,
  type PostureCheckTypeId,
  type PostureData,
  type SessionPosture,
  type Verdict,
} from '../../../src/trust/posture/index.js';

/**
 * One file per type of check. A row gives check, data and session as far as they matter, and of
 * the verdict what is expected of it; null stands for absent. Clock times are instants of one day.
 */
interface Row {
  readonly fact: string;
  readonly check: Partial<PostureCheckSpec>;
  /** The reports of the device by their member. */
  readonly data?: Readonly<Record<string, object | readonly object[]>>;
  readonly session?: Partial<SessionPosture>;
  readonly now?: number;
  readonly verdict: Partial<Record<keyof Verdict, unknown>>;
}

const STAMP = { postureCheckId: 'any', lastUpdatedAt: 0 };

/** Members that reports of these must have, whatever they say. */
const OTHERS: Readonly<Record<string, object>> = {
  os: { build: '' },
  processes: { binaryHash: '', signerFingerprints: [] },
};

/** The data of a row with what does not matter filled in. */
function dataOf(data: NonNullable<Row['data']>): PostureData {
  const reports = Object.entries(data).map(([member, given]) => {
    const filled = (report: object): object => ({ ...STAMP, ...OTHERS[member], ...report });
    return [member, Array.isArray(given) ? given.map(filled) : filled(given)] as const;
  });
  return { ...noPostureData, ...Object.fromEntries(reports) };
}

const folder = new URL('truth/', import.meta.url);

const instants = (_: string, value: unknown): unknown =>
  typeof value === 'string' && /^\d\d:\d\d:\d\d\.\d{3}$/.test(value)
    ? Date.parse(`2026-01-01T${value}Z`)
    : value;

const rowsOf = (typeId: PostureCheckTypeId): Row[] => {
  const file = `${typeId.toLowerCase().replaceAll('_', '-')}.json`;
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'), instants) as Row[];
};

describe.each(postureCheckTypeIds)('a check of type %s', (typeId) => {
  test.each(rowsOf(typeId).map((row) => [row.fact, row] as const))('%s', (_, row) => {
    const check = { id: 'check', typeId, ...row.check };
    const subject = {
      data: dataOf(row.data ?? {}),
      session: { ...noSessionPosture, ...row.session },
    };
    const now = row.now ?? Date.parse('2026-01-01T10:00:00.000Z');
    const verdict = evaluateCheck(check, subject, now);
    for (const [member, expected] of Object.entries(row.verdict)) {
      expect([member, verdict[member as keyof Verdict] ?? null]).toStrictEqual([member, expected]);
    }
  });
});

test('each table is of a type, and no fact stands in it twice', () => {
  expect(readdirSync(folder)).toHaveLength(postureCheckTypeIds.length);
  for (const typeId of postureCheckTypeIds) {
    const facts = rowsOf(typeId).map(({ fact }) => fact);
    expect(new Set(facts).size).toBe(facts.length);
  }
});
