import type { JsonObject } from '../../../base/row.js';
import type { EntityKind, PolicyKind } from '../../../kernel/policy/index.js';
import type { WhatIfChange } from './what-if-change.js';

/** Changes of the model, as clients write them: to simulate them or to make them. */

export interface ModelChange<T extends string = string> {
  readonly operation: 'create' | 'replace' | 'update' | 'delete';
  /** A kind of entities that declares `isDrafted`: the singular field of the graph. */
  readonly type: T;
  /** The id of the entity; for a creation the id that other changes may name. */
  readonly id?: string | null;
  readonly input?: unknown;
}

const MEMBERS: Readonly<Record<string, string>> = {
  identities: 'identityRoles',
  services: 'serviceRoles',
  edgeRouters: 'edgeRouterRoles',
  postureChecks: 'postureCheckRoles',
};

interface ProposedChange extends ModelChange<EntityKind | PolicyKind> {
  readonly id: string;
  readonly input?: JsonObject;
}

interface ProposedValues {
  readonly attributes?: readonly string[];
  readonly roles?: Readonly<Record<string, readonly string[]>>;
  readonly semantic?: string;
  readonly type?: string;
}

/** Converts a change from an analysis into one that a client can simulate or make. */
export function proposed(change: WhatIfChange): ProposedChange {
  const { kind: type, id } = change;
  const newValues = 'update' in change ? change.update : change.value;
  if (newValues === null) return { operation: 'delete', type, id };
  const { attributes, roles, semantic, type: accessType } = newValues as ProposedValues;
  const lists = Object.entries(roles ?? {}).map(
    ([side, texts]) => [MEMBERS[side] ?? side, texts] as const,
  );
  const input = {
    ...(semantic ? { semantic } : {}),
    ...(accessType ? { type: accessType } : {}),
    ...(attributes ? { roleAttributes: attributes } : {}),
    ...Object.fromEntries(lists),
  };
  return { operation: 'update', type, id, input };
}
