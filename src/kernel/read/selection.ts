import { Kind, type FieldNode, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';

/** Names asked for at one level of a document, each with what is asked below it. */
export interface Requested {
  readonly fields: ReadonlyMap<string, readonly SelectionSetNode[]>;
  /** Every occurrence of each, since each may have arguments of its own. */
  readonly nodes: ReadonlyMap<string, readonly FieldNode[]>;
}

const remembered = new WeakMap<FieldNode, Map<string, Requested>>();

/**
 * What a document selects below a field, after following `path` (`['nodes']` of a connection).
 * Fragments are followed whatever their type, directives are ignored: reading a little more is harmless.
 * Documents are compiled once and run often, so the answer is kept with the document.
 */
export function requested(info: GraphQLResolveInfo, ...paths: readonly string[][]): Requested {
  const [node] = info.fieldNodes;
  if (!node || info.fieldNodes.length > 1) return collect(info, paths);
  const key = paths.map((p) => p.join('.')).join('|');
  const known = remembered.get(node) ?? new Map<string, Requested>();
  remembered.set(node, known);
  const answer = known.get(key) ?? collect(info, paths);
  known.set(key, answer);
  return answer;
}

function collect(info: GraphQLResolveInfo, paths: readonly string[][]): Requested {
  const start = info.fieldNodes.flatMap((n) => n.selectionSet ?? []);
  const nodes = new Map<string, FieldNode[]>();
  for (const path of paths.length > 0 ? paths : [[]]) {
    const sets = path.reduce((at, name) => fieldsOf(info, at).get(name) ?? [], start);
    for (const [name, more] of nodesOf(info, sets)) {
      nodes.set(name, [...(nodes.get(name) ?? []), ...more]);
    }
  }
  return { nodes, fields: below(nodes) };
}

const below = (nodes: ReadonlyMap<string, readonly FieldNode[]>): Map<string, SelectionSetNode[]> =>
  new Map([...nodes].map(([name, all]) => [name, all.flatMap((n) => n.selectionSet ?? [])]));

const fieldsOf = (
  info: Pick<GraphQLResolveInfo, 'fragments'>,
  sets: readonly SelectionSetNode[],
): Map<string, SelectionSetNode[]> => below(nodesOf(info, sets));

function nodesOf(
  info: Pick<GraphQLResolveInfo, 'fragments'>,
  sets: readonly SelectionSetNode[],
): Map<string, FieldNode[]> {
  const found = new Map<string, FieldNode[]>();
  const visit = (set: SelectionSetNode): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        const known = found.get(node.name.value);
        if (known) known.push(node);
        else found.set(node.name.value, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        visit(node.selectionSet);
      } else {
        const fragment = info.fragments[node.name.value];
        if (fragment) visit(fragment.selectionSet);
      }
    }
  };
  sets.forEach(visit);
  return found;
}

/** Whether a reference is asked for nothing but its id and name, which come with the row itself. */
export function isBareReference(
  info: Pick<GraphQLResolveInfo, 'fragments'>,
  sets: readonly SelectionSetNode[],
): boolean {
  return [...fieldsOf(info, sets).keys()].every((f) => ['id', 'name', '__typename'].includes(f));
}
