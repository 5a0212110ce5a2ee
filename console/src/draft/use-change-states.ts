import { useMemo, useRef } from 'react';
import type { Row } from '../description/documents.js';
import { kindOfType } from '../description/fields.js';
import { bringsKept } from '../description/kept-entities.js';
import type { Failure } from '../graph/failure.js';
import { useLiveAnswer } from '../graph/use-live.js';
import { useMay } from '../graph/caller-context.js';
import { basesOf, basesQuestion, keyOf, type EntityKey } from './bases.js';
import type { DraftChange } from './draft.js';

/** How the entity of a change stands to the state that the change begins from. */
export type ChangeState =
  /** It has that state, or the change needs none. */
  | { readonly is: 'same' }
  /** Somebody has changed the entity since. */
  | { readonly is: 'moved'; readonly revision: number }
  /** Somebody has deleted the entity since. */
  | { readonly is: 'gone' }
  /** The caller may not read the entity. */
  | { readonly is: 'hidden' };

export interface ChangeStates {
  readonly stateOf: (change: DraftChange) => ChangeState;
  /** Gives the entity of a change as it is now, with the members that the change sets. */
  readonly presentOf: (change: DraftChange) => Row | undefined;
  readonly failure: Failure | undefined;
}

/** Asks again so often when the caller may not follow the change log. */
const EVERY_MS = 15_000;

const SAME: ChangeState = { is: 'same' };
const NONE: ReadonlySet<string> = new Set();

/** The members that changes of a type set. */
const membersOf = (changes: readonly DraftChange[], type: string): readonly string[] =>
  changes.filter((each) => each.type === type).flatMap(({ input }) => Object.keys(input ?? {}));

const hasBase = (change: DraftChange): change is DraftChange & EntityKey =>
  change.operation !== 'create' && change.id !== undefined;

/** The changes may make an entity with another one, such as the identity of a router, and change it then. */
function bringsEntity(changes: readonly DraftChange[], { type, id }: EntityKey): boolean {
  const kind = kindOfType(type);
  return changes.some(
    (each) =>
      each.operation !== 'delete' &&
      each.id === id &&
      kind !== undefined &&
      bringsKept(kind, each.type, each.input ?? {}),
  );
}

/** Tells of each change how its entity is now. It asks again when the rounds grow. */
export function useChangeStates(changes: readonly DraftChange[], rounds: number): ChangeStates {
  const may = useMay();
  const mayRead = (type: string): boolean => may('Query', kindOfType(type)?.list);
  const readable = changes.filter(hasBase).filter(({ type }) => mayRead(type));
  const { operation, variables } = basesQuestion(readable, (type) => membersOf(readable, type));
  const { data, failure, isLoading } = useLiveAnswer(operation, variables, rounds, {
    when: readable.length > 0,
    ...(may('Subscription', 'changes') ? {} : { every: EVERY_MS }),
  });
  const bases = useMemo(() => basesOf(data ?? {}), [data]);
  // An entity that was not asked for yet is not gone.
  const answered = useRef(NONE);
  if (data && !isLoading && !failure) answered.current = new Set(readable.map(keyOf));
  const presentOf = (change: DraftChange): Row | undefined =>
    hasBase(change) ? bases.get(keyOf(change)) : undefined;
  const isMissing = (entity: EntityKey): boolean =>
    answered.current.has(keyOf(entity)) && !bringsEntity(changes, entity);
  const stateOf = (change: DraftChange): ChangeState => {
    if (!hasBase(change)) return SAME;
    if (!mayRead(change.type)) return { is: 'hidden' };
    const base = presentOf(change);
    if (!base) return isMissing(change) ? { is: 'gone' } : SAME;
    const revision = Number(base.revision);
    const isSame = change.revision === undefined || change.revision === revision;
    return isSame ? SAME : { is: 'moved', revision };
  };
  return { stateOf, presentOf, failure: readable.length > 0 ? failure : undefined };
}
