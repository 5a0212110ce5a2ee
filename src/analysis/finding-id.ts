import { createHash } from 'node:crypto';
import { byteSorted } from '../base/byte-order.js';
import type { Finding } from './finding.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';

/** 80 bits: no two of a million findings share an id by chance. */
const DIGITS = 20;

/**
 * The fact that a finding states, without what may change while the fact stays the same: counts,
 * names, what else takes part, and which of two similar attributes is the more common one.
 */
export function subjectOf({
  kind,
  entities,
  side,
  about,
  similarTo,
  attributesOf,
}: Finding): string {
  const [first] = entities;
  const subject =
    about !== undefined && similarTo !== undefined
      ? [attributesOf, ...byteSorted([about, similarTo])]
      : [first?.kind, first?.id, side, about];
  return JSON.stringify([kind, ...subject]);
}

/** The same on every controller and after every restart, as long as the fact stays the same. */
export const findingId = (finding: Finding): string =>
  createHash('sha256').update(subjectOf(finding)).digest('hex').slice(0, DIGITS);

/** The findings that none of the ids names. */
export function* findingsWithout(
  all: readonly Finding[],
  ids: ReadonlySet<string>,
): Sliced<readonly Finding[]> {
  if (ids.size === 0) return all;
  const others: Finding[] = [];
  yield* eachSliced(all, 256, (finding) => {
    if (!ids.has(findingId(finding))) others.push(finding);
  });
  return others;
}

/** Whether one of the findings has the id. */
export function* hasFinding(all: readonly Finding[], id: string): Sliced<boolean> {
  let isThere = false;
  yield* eachSliced(all, 256, (finding) => {
    isThere ||= findingId(finding) === id;
  });
  return isThere;
}
