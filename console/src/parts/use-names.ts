import { useMemo } from 'react';
import type { Row } from '../description/documents.js';
import { kindOfType, labelFields } from '../description/fields.js';
import { basesOf, basesQuestion, keyOf, type EntityKey } from '../draft/bases.js';
import { useLiveAnswer } from '../graph/use-live.js';
import { useMay } from '../graph/caller-context.js';

/** The answer to the question for the name of an entity. */
export type Naming =
  | { readonly is: 'named'; readonly entity: Row }
  | { readonly is: 'gone' }
  /** The answer is not there yet, or the caller may not read the entity. */
  | { readonly is: 'unknown' };

const GONE: Naming = { is: 'gone' };
const UNKNOWN: Naming = { is: 'unknown' };

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** More are not looked for in one request; they keep their ids. */
const MAX_NAMES = 5_000;

export type NamingOf = (entity: EntityKey) => Naming;

/**
 * Gives the names of entities by their ids, and those of entities that only a draft has. It asks again
 * when the round has grown.
 */
export function useNames(
  entities: readonly EntityKey[],
  round = 0,
  drafted: ReadonlyMap<string, string> = NO_NAMES,
): NamingOf {
  const may = useMay();
  const wanted = entities
    .filter(({ type }) => may('Query', kindOfType(type)?.list))
    .slice(0, MAX_NAMES);
  const { operation, variables } = basesQuestion(wanted, labelFields);
  const { data, failure, isOfOthers } = useLiveAnswer(operation, variables, round, {
    when: wanted.length > 0,
  });
  const rows = useMemo(() => basesOf(data ?? {}), [data]);
  const asked = new Set(wanted.map(keyOf));
  const isAnswered = data !== undefined && failure === undefined && !isOfOthers;
  return (key) => {
    const entity = rows.get(keyOf(key));
    if (entity) return { is: 'named', entity };
    const name = drafted.get(key.id);
    if (name !== undefined) return { is: 'named', entity: { id: key.id, name } };
    return isAnswered && asked.has(keyOf(key)) ? GONE : UNKNOWN;
  };
}
