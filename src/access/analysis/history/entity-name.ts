import DataLoader from 'dataloader';
import type { FindingEntity } from '../findings/finding.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import type { Resource } from '../../../kernel/declare/resource.js';
import type { Change, Cursor } from '../../../kernel/request/store-port.js';
import { lowerFirst, upperFirst } from '../../../base/names.js';
import { history } from '../../../data/rows/change/index.js';
import { namesById } from '../../../kernel/read/entity-table.js';

type Kind = FindingEntity['kind'];

interface NameKey {
  readonly kind: Kind;
  readonly id: string;
  /** A place in the change log, for the name at that time. */
  readonly place?: Cursor | undefined;
}

/** Gives the names of entities that exist only in a simulation. */
export type NewNames = (kind: Kind, id: string) => string | undefined;

/** The sources of names. */
export interface NameSources {
  /** For entities that exist only in a simulation. */
  readonly newName?: NewNames | undefined;
  /** A place in the change log, for the names at that time. */
  readonly place?: Cursor | undefined;
}

/** Gives the names that changes of rows set. */
export function namesGiven(changes: Iterable<Pick<Change, 'resource' | 'id' | 'after'>>): NewNames {
  const names = new Map<string, unknown>();
  for (const { resource, id, after } of changes) {
    names.set(`${lowerFirst(resource)} ${id}`, after?.name);
  }
  return (kind, id) => {
    const name = names.get(`${kind} ${id}`);
    return typeof name === 'string' ? name : undefined;
  };
}

const loaderOf = perRequest(
  (ctx) => new DataLoader((keys: readonly NameKey[]) => readNames(ctx, keys), { cache: false }),
);

/** Gives the name of an entity, or of a simulated one; null when it no longer exists. */
export async function shownName(
  ctx: RequestContext,
  { newName, place }: NameSources,
  kind: Kind,
  id: string,
): Promise<string | null> {
  return newName?.(kind, id) ?? entityName(ctx, kind, id, place);
}

/**
 * Gives the name of an entity at present, or at a place in the change log; null when it does not
 * exist. One statement reads all names of a kind that a page needs.
 */
export function entityName(
  ctx: RequestContext,
  kind: Kind,
  id: string,
  place?: Cursor,
): Promise<string | null> {
  return loaderOf(ctx).load({ kind, id, place });
}

async function readNames(
  ctx: RequestContext,
  keys: readonly NameKey[],
): Promise<(string | null)[]> {
  const names = new Map<string, string>();
  const groups = new Map(keys.map((key) => [groupOf(key), key]));
  await Promise.all(
    [...groups].map(async ([group, { kind, place }]) => {
      const resource = resourceOf(ctx, kind);
      const ids = [...new Set(keys.filter((one) => groupOf(one) === group).map(({ id }) => id))];
      const rows = await (place === undefined
        ? namesById(ctx.store, resource, ids)
        : history.namesAt(ctx.store, resource, ids, place));
      for (const { id, name } of rows) {
        if (name !== null) names.set(`${group} ${id}`, name);
      }
    }),
  );
  return keys.map((one) => names.get(`${groupOf(one)} ${one.id}`) ?? null);
}

export const resourceOf = ({ catalog }: Pick<RequestContext, 'catalog'>, kind: Kind): Resource =>
  catalog.get(kind === 'authority' ? 'CertificateAuthority' : upperFirst(kind));

const groupOf = ({ kind, place }: NameKey): string => `${kind} ${place ?? ''}`;
