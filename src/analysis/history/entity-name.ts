import DataLoader from 'dataloader';
import type { FindingEntity } from '../finding.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { Cursor } from '../../kernel/request/store-port.js';
import { upperFirst } from '../../base/names.js';
import { namesAt, namesNow } from './change-table.js';

type Kind = FindingEntity['kind'];

interface Named {
  readonly kind: Kind;
  readonly id: string;
  /** In the change log: the name that it had there. */
  readonly place?: Cursor | undefined;
}

/** The names of what is not in the network yet. */
export type NewNames = (kind: Kind, id: string) => string | undefined;

/** Where names are looked up. */
export interface Naming {
  /** Of what is not in the network yet. */
  readonly newName?: NewNames | undefined;
  /** In the change log: the names that were there. */
  readonly place?: Cursor | undefined;
}

const loaders = new WeakMap<RequestContext, DataLoader<Named, string | null>>();

/** The name of an entity, of a new one too; null when it is gone since. */
export async function shownName(
  ctx: RequestContext,
  { newName, place }: Naming,
  kind: Kind,
  id: string,
): Promise<string | null> {
  return newName?.(kind, id) ?? entityName(ctx, kind, id, place);
}

/**
 * The name of an entity as it is now, or as it was at a place in the change log; null when it is
 * gone. One statement for each kind on a page.
 */
export function entityName(
  ctx: RequestContext,
  kind: Kind,
  id: string,
  place?: Cursor,
): Promise<string | null> {
  const known = loaders.get(ctx);
  const loader =
    known ??
    new DataLoader((asked: readonly Named[]) => readNames(ctx, asked), {
      cache: false,
    });
  if (!known) loaders.set(ctx, loader);
  return loader.load({ kind, id, place });
}

async function readNames(ctx: RequestContext, asked: readonly Named[]): Promise<(string | null)[]> {
  const names = new Map<string, string>();
  const groups = new Map(asked.map((one) => [groupOf(one), one]));
  await Promise.all(
    [...groups].map(async ([group, { kind, place }]) => {
      const resource = resourceOf(ctx, kind);
      const ids = [...new Set(asked.filter((one) => groupOf(one) === group).map(({ id }) => id))];
      const rows = await (place === undefined
        ? namesNow(ctx.store, resource, ids)
        : namesAt(ctx.store, resource, ids, place));
      for (const { id, name } of rows) {
        if (name !== null) names.set(`${group} ${id}`, name);
      }
    }),
  );
  return asked.map((one) => names.get(`${groupOf(one)} ${one.id}`) ?? null);
}

export const resourceOf = ({ catalog }: Pick<RequestContext, 'catalog'>, kind: Kind): Resource =>
  catalog.get(kind === 'authority' ? 'CertificateAuthority' : upperFirst(kind));

const groupOf = ({ kind, place }: Named): string => `${kind} ${place ?? ''}`;
