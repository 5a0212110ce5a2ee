import { nounOf } from '../../base/names.js';
import type { Client } from './client.js';
import { usageError } from './command-error.js';
import { quoted } from './plain.js';

export interface Named {
  readonly id: string;
  readonly name: string;
}

const LISTS = {
  identity: 'identities',
  service: 'services',
  edgeRouter: 'edgeRouters',
  postureCheck: 'postureChecks',
} as const;

export type EntityKind = keyof typeof LISTS;

/** Entities by name where there is one with it, else by id. */
export async function namedEntities<Kind extends EntityKind>(
  client: Client,
  asked: Readonly<Record<Kind, string>>,
): Promise<Record<Kind, Named>> {
  const kinds = Object.keys(asked) as Kind[];
  const found = await client.run<Readonly<Record<string, { readonly nodes: readonly Named[] }>>>(
    `query (${kinds.map((kind) => `$${kind}: String!`).join(', ')}) {
      ${kinds.map((kind) => `${first(kind, 'name')} ${first(kind, 'id')}`).join('\n')}
    }`,
    asked,
  );
  const entities = kinds.map((kind) => {
    const [entity] = [found[`${kind}ByName`], found[`${kind}ById`]].flatMap(
      (list) => list?.nodes ?? [],
    );
    if (!entity) throw usageError(`there is no ${nounOf(kind)} ${quoted(asked[kind])}`);
    return [kind, entity] as const;
  });
  return Object.fromEntries(entities) as Record<Kind, Named>;
}

const first = (kind: EntityKind, field: 'name' | 'id'): string =>
  `${kind}By${field === 'name' ? 'Name' : 'Id'}: ${LISTS[kind]}(where: { ${field}: { eq: $${kind} } }, first: 1) { nodes { id name } }`;
