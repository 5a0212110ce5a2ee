import { description } from '../description/description.js';
import type { Row } from '../description/documents.js';
import { isList, namedType, SCALAR_SHAPES, typeOfModel } from '../description/fields.js';
import { askPartly } from '../graph/ask.js';
import { basesOf, basesQuestion, keyOf, type EntityKey } from './bases.js';
import { addAllToDraft, currentDraft, type DraftChange, type DraftOperation } from './draft.js';

type Input = Readonly<Record<string, unknown>>;

/** A change as findings, near misses and reviews propose it. */
export interface ProposedChange {
  readonly operation: DraftOperation;
  /** As lists of changes have it: `servicePolicy`. */
  readonly type: string;
  /** Of a new entity null. */
  readonly entityId: string | null;
  readonly input: Input | null;
}

/**
 * Adds changes to the draft that the graph proposes. It reads the revisions of the entities first, and
 * then asks for the proposals again: so none of them begins from an older state than the draft says.
 * @param shown the proposals that the caller sees
 */
export async function addProposals(
  shown: readonly ProposedChange[],
  propose: () => Promise<readonly ProposedChange[]>,
): Promise<void> {
  const bases = await readBases(shown);
  const proposed = await propose();
  addAllToDraft(proposed.map((change) => draftedChange(change, bases)));
}

function draftedChange(change: ProposedChange, bases: ReadonlyMap<string, Row>): DraftChange {
  const type = typeOfModel(change.type);
  const { operation, input } = change;
  const key = entityOf(change);
  if (!key) {
    const name = nameOf(input) ?? type;
    return { operation, type, id: undefined, name, input: input ?? undefined, revision: undefined };
  }
  const base = bases.get(keyOf(key));
  return {
    operation,
    type,
    id: key.id,
    name: nameOf(base) ?? nameOf(input) ?? key.id,
    input: input ? joinedInput(key, base, input) : undefined,
    revision: base && Number(base.revision),
  };
}

const nameOf = (entity: Input | null | undefined): string | undefined =>
  typeof entity?.name === 'string' ? entity.name : undefined;

const entityOf = ({ type, entityId }: ProposedChange): EntityKey | undefined =>
  entityId === null ? undefined : { type: typeOfModel(type), id: entityId };

async function readBases(shown: readonly ProposedChange[]): Promise<ReadonlyMap<string, Row>> {
  const entities = shown.flatMap((change) => entityOf(change) ?? []);
  if (entities.length === 0) return new Map();
  const members = shown.flatMap(({ input }) => Object.keys(input ?? {}));
  const listsOf = (type: string): readonly string[] =>
    members.filter((member) => isListOfTexts(type, member));
  const { operation, variables } = basesQuestion(entities, listsOf);
  const { data, failures } = await askPartly(operation, variables);
  // Without the permission to read an entity its revision stays unknown.
  const failure = failures.find(({ isUnauthorized }) => !isUnauthorized);
  if (failure) throw failure;
  return basesOf(data ?? {});
}

function isListOfTexts(type: string, member: string): boolean {
  const field = description.types[type]?.[member];
  return (
    field !== undefined && isList(field.type) && SCALAR_SHAPES[namedType(field.type)] === 'text'
  );
}

/**
 * The draft may change the same list of roles already. Then the list of the draft gets what the
 * proposal adds, and loses what the proposal takes away.
 */
function joinedInput({ type, id }: EntityKey, base: Row | undefined, input: Input): Input {
  const drafted = currentDraft().find((each) => each.type === type && each.id === id)?.input;
  return Object.fromEntries(
    Object.entries(input).map(([member, value]) => [
      member,
      joinedList(drafted?.[member], base?.[member], value) ?? value,
    ]),
  );
}

function joinedList(drafted: unknown, present: unknown, proposed: unknown): unknown {
  if (!isArray(drafted) || !isArray(present) || !isArray(proposed)) return undefined;
  const taken = present.filter((entry) => !proposed.includes(entry));
  const given = proposed.filter((entry) => !present.includes(entry));
  const remaining = drafted.filter((entry) => !taken.includes(entry));
  return [...new Set([...remaining, ...given])];
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);
