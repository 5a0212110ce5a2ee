import { createHash } from 'node:crypto';
import { byteSorted } from '../../../base/byte-order.js';
import type { FoundFinding } from './finding.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';

/** 80 bits: even among a million findings, no two share an id by chance. */
const DIGITS = 20;

/**
 * Gives the fact that a finding states, without the parts that may change while the fact stays the
 * same: counts, names, other entities, and which of two similar attributes is the more common one.
 */
export function subjectOf({
  kind,
  entities,
  side,
  about,
  similarTo,
  attributesOf,
}: FoundFinding): string {
  const [first] = entities;
  const subject =
    about && similarTo
      ? [attributesOf, ...byteSorted([about, similarTo])]
      : [first?.kind, first?.id, side, about];
  return JSON.stringify([kind, ...subject]);
}

/** Gives an id that is equal on every controller and after every restart. */
export const findingId = (finding: FoundFinding): string =>
  createHash('sha256').update(subjectOf(finding)).digest('hex').slice(0, DIGITS);

/** Gives the findings whose ids are not in the set. */
export function* findingsWithout(
  all: readonly FoundFinding[],
  ids: ReadonlySet<string>,
): Sliced<readonly FoundFinding[]> {
  if (ids.size === 0) return all;
  const others: FoundFinding[] = [];
  yield* eachSliced(all, 256, (finding) => {
    if (!ids.has(findingId(finding))) others.push(finding);
  });
  return others;
}

/** Whether one of the findings has the id. */
export function* hasFinding(all: readonly FoundFinding[], id: string): Sliced<boolean> {
  let isFound = false;
  yield* eachSliced(all, 256, (finding) => {
    isFound ||= findingId(finding) === id;
  });
  return isFound;
}
