import { Kind, type FieldNode, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';

/** The fields selected at one level of a document, each with its own selection sets. */
export interface Requested {
  readonly fields: ReadonlyMap<string, readonly SelectionSetNode[]>;
  /** Every occurrence of each field, since each may have its own arguments. */
  readonly nodes: ReadonlyMap<string, readonly FieldNode[]>;
}

const requestedCache = new WeakMap<FieldNode, Map<string, Requested>>();

/**
 * Gives the fields that a document selects below a field, after following `path` (`['nodes']` of a
 * connection). It follows fragments of any type and ignores directives: reading a little more is
 * harmless. Documents run often, so the result is cached with the document.
 */
export function requested(info: GraphQLResolveInfo, ...paths: readonly string[][]): Requested {
  const [node] = info.fieldNodes;
  if (!node || info.fieldNodes.length > 1) return collect(info, paths);
  const key = paths.map((p) => p.join('.')).join('|');
  const byPath = requestedCache.get(node) ?? new Map<string, Requested>();
  requestedCache.set(node, byPath);
  const answer = byPath.get(key) ?? collect(info, paths);
  byPath.set(key, answer);
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
  const nodesByName = new Map<string, FieldNode[]>();
  const visit = (set: SelectionSetNode): void => {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        const sameName = nodesByName.get(node.name.value);
        if (sameName) sameName.push(node);
        else nodesByName.set(node.name.value, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        visit(node.selectionSet);
      } else {
        const fragment = info.fragments[node.name.value];
        if (fragment) visit(fragment.selectionSet);
      }
    }
  };
  sets.forEach(visit);
  return nodesByName;
}

/** Whether only the id and the name of a reference are selected, which are read with the row. */
export function isBareReference(
  info: Pick<GraphQLResolveInfo, 'fragments'>,
  sets: readonly SelectionSetNode[],
): boolean {
  return [...fieldsOf(info, sets).keys()].every((f) => ['id', 'name', '__typename'].includes(f));
}
