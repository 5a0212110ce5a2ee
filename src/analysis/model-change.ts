import type { RequestContext } from '../kernel/request/context.js';
import { inputNameOf } from '../kernel/declare/attribute.js';
import { ApiError, invalidField } from '../base/errors.js';
import { upperFirst } from '../base/names.js';
import { may, permit } from '../kernel/declare/permissions.js';
import type { Resource } from '../kernel/declare/resource.js';
import { isObject, type JsonObject } from '../base/row.js';
import type { Change, Transaction } from '../kernel/request/store-port.js';
import { changeIn, createIn, originOf, removeIn } from '../kernel/write/write.js';
import type { WhatIfChange } from './what-if-change.js';
import type { EntityKind, PolicyKind } from '../policy/index.js';

/** Hypothetical changes of the model, as clients write them. */

export interface ModelChange<T extends string = string> {
  readonly operation: 'create' | 'replace' | 'update' | 'delete';
  /** A kind of entities that declares `isDrafted`: the singular field of the graph. */
  readonly type: T;
  /** The id of the entity; for a creation the id that other changes may name. */
  readonly id?: string | null;
  readonly input?: unknown;
}

const MOST_CHANGES = 1_000;

/**
 * Gives the result of changes by the rules of real writes: a transaction makes them and is then
 * rolled back.
 * @throws ApiError as the writes would; fields begin with the place, as in `changes[2].input.name`
 */
export async function rehearse(
  ctx: RequestContext,
  changes: readonly ModelChange[],
): Promise<readonly Omit<Change, 'at'>[]> {
  if (changes.length > MOST_CHANGES) {
    throw invalidField('changes', `at most ${String(MOST_CHANGES)} at a time`, changes.length);
  }
  for (const { type } of changes)
    permit(ctx, may(resourceOf(ctx, type).options.permission, 'read'));
  return ctx.store.rehearse(originOf(ctx), async (tx) => {
    for (const [i, change] of changes.entries()) {
      await applyIn(ctx, tx, change).catch((error: unknown) => {
        throw withPlace(error, `changes[${String(i)}]`);
      });
    }
  });
}

const resourceOf = ({ catalog }: RequestContext, type: ModelChange['type']): Resource =>
  catalog.get(upperFirst(type));

async function applyIn(ctx: RequestContext, tx: Transaction, change: ModelChange): Promise<void> {
  const { operation } = change;
  const resource = resourceOf(ctx, change.type);
  if (operation === 'create') return createNamed(ctx, tx, resource, change);
  if (!change.id) throw invalidField('id', 'id is required', '');
  if (operation === 'delete') return removeIn(ctx, tx, resource, change.id);
  return changeIn(ctx, tx, resource, operation, change.id, inputOf(resource, change.input));
}

async function createNamed(
  ctx: RequestContext,
  tx: Transaction,
  resource: Resource,
  { id, input }: ModelChange,
): Promise<void> {
  if (id && (await tx.hold(resource, [id])).length > 0) {
    throw invalidField('id', `there is a ${resource.label} with this id`, id);
  }
  await createIn(ctx, tx, resource, inputOf(resource, input), id ? { id } : undefined);
}

/** Refuses unknown members: a misspelt member would change the meaning of the question. */
function inputOf(resource: Resource, input: unknown): JsonObject {
  if (!isObject(input)) throw invalidField('input', 'must be an object', input);
  const memberNames = new Set([...resource.attributes.values()].map(inputNameOf));
  for (const name of Object.keys(input)) {
    if (!memberNames.has(name)) {
      throw invalidField(name, `a ${resource.label} has no such attribute`, input[name]);
    }
  }
  return input;
}

const CHANGE_MEMBERS = new Set(['id', 'input']);

function withPlace(error: unknown, place: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, detail } = error;
  if (detail?.kind === 'field') {
    const field = CHANGE_MEMBERS.has(detail.field) ? detail.field : `input.${detail.field}`;
    return new ApiError(code, { ...detail, field: `${place}.${field}` });
  }
  const message = detail?.message ?? error.message;
  return new ApiError(code, { kind: 'message', message: `${place}: ${message}` });
}

const MEMBERS: Readonly<Record<string, string>> = {
  identities: 'identityRoles',
  services: 'serviceRoles',
  edgeRouters: 'edgeRouterRoles',
  postureChecks: 'postureCheckRoles',
};

/** Converts a change from an analysis into one that a client can simulate or make. */
export function proposed(change: WhatIfChange): ModelChange<EntityKind | PolicyKind> {
  const { kind: type, id } = change;
  const newValues = 'update' in change ? change.update : change.value;
  if (newValues === null) return { operation: 'delete', type, id };
  const { attributes, roles, ...others } = newValues as {
    attributes?: readonly string[];
    roles?: Readonly<Record<string, readonly string[]>>;
  };
  const lists = Object.entries(roles ?? {}).map(
    ([side, texts]) => [MEMBERS[side] ?? side, texts] as const,
  );
  const input = {
    ...others,
    ...(attributes ? { roleAttributes: attributes } : {}),
    ...Object.fromEntries(lists),
  };
  return { operation: 'update', type, id, input };
}
