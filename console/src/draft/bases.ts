import type { Kind } from '../description/description.js';
import type { Row } from '../description/documents.js';
import { hasName, kindOfList, kindOfType, selectionOf } from '../description/fields.js';
import type { Operation } from '../graph/operation.js';

/* The present states of entities that changes begin from. */

export interface EntityKey {
  /** The name of the type in the graph. */
  readonly type: string;
  readonly id: string;
}

export const keyOf = ({ type, id }: EntityKey): string => `${type} ${id}`;

type BasesResult = Readonly<Record<string, { readonly nodes: readonly Row[] } | null>>;

type BasesVariables = Readonly<Record<string, string>>;

interface BasesQuestion {
  readonly operation: Operation<BasesResult, BasesVariables>;
  readonly variables: BasesVariables;
}

/** The longest page of a list. */
const IN_A_PART = 500;

interface Part {
  /** The list of the kind with a number: `services0`. */
  readonly name: string;
  readonly kind: Kind;
  readonly ids: readonly string[];
}

/**
 * Asks for the names and revisions of entities of all kinds in one request, and for further members
 * of them.
 */
export function basesQuestion(
  entities: readonly EntityKey[],
  members: (type: string) => readonly string[] = () => [],
): BasesQuestion {
  const parts = partsOf(entities);
  const lists = parts.map(({ name, kind: { list, type } }) => {
    const fields = ['id', 'revision', ...(hasName(type) ? ['name'] : []), ...members(type)];
    const selections = [...new Set(fields)].map((field) => selectionOf(type, field));
    const page = `filter: $${name}, first: ${String(IN_A_PART)}`;
    return `${name}: ${list}(${page}) { nodes { ${selections.join(' ')} } }`;
  });
  const declared = parts.map(({ name }) => `$${name}: String`).join(', ');
  return {
    operation: { name: 'Bases', text: `query Bases(${declared}) { ${lists.join(' ')} }` },
    variables: Object.fromEntries(parts.map(({ name, ids }) => [name, filterOf(ids)])),
  };
}

/** The entities of an answer by their keys. What does not exist is missing. */
export const basesOf = (result: BasesResult): ReadonlyMap<string, Row> =>
  new Map(
    Object.entries(result).flatMap(([name, part]) => {
      const type = kindOfList(name.replace(/\d+$/, ''))?.type ?? '';
      return (part?.nodes ?? []).map((row) => [keyOf({ type, id: row.id }), row] as const);
    }),
  );

function partsOf(entities: readonly EntityKey[]): readonly Part[] {
  const types = [...new Set(entities.map(({ type }) => type))];
  return types.flatMap((type) => {
    const kind = kindOfType(type);
    if (!kind) return [];
    const ids = [...new Set(entities.filter((each) => each.type === type).map(({ id }) => id))];
    return Array.from({ length: Math.ceil(ids.length / IN_A_PART) }, (_, i) => ({
      name: `${kind.list}${String(i)}`,
      kind,
      ids: ids.slice(i * IN_A_PART, (i + 1) * IN_A_PART),
    }));
  });
}

const filterOf = (ids: readonly string[]): string =>
  `id in [${ids.map((id) => JSON.stringify(id)).join(', ')}]`;
