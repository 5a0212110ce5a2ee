import type { Caller, RequestContext } from '../kernel/request/context.js';
import { may, permits } from '../kernel/declare/permissions.js';

/** What is logged beside the resources, with the entity of the permission to read it. */
const OTHERS: Readonly<Record<string, string>> = {
  PostureData: 'identity',
  ServiceRequestFailure: 'identity',
  NetworkRecord: 'admin',
  Certificate: 'admin',
};

type Asking = Pick<RequestContext, 'catalog'> & { readonly caller: Caller | undefined };

/** Every type that the change log can name. */
export const changeTypes = ({ catalog }: Pick<RequestContext, 'catalog'>): Set<string> =>
  new Set([
    ...[...catalog.all()].filter((r) => r.options.unlogged !== true).map(({ name }) => name),
    ...Object.keys(OTHERS),
  ]);

/** The types of which the caller may see changes: those that it may read; undefined: all. */
export function readableTypes({ catalog, caller }: Asking): ReadonlySet<string> | undefined {
  if (permits(caller, may('admin', 'read'))) return undefined;
  const mayRead = (entity: string): boolean => permits(caller, may(entity, 'read'));
  const resources = [...catalog.all()].filter(({ options }) => mayRead(options.permission));
  const others = Object.entries(OTHERS).filter(([, entity]) => mayRead(entity));
  return new Set([...resources.map(({ name }) => name), ...others.map(([name]) => name)]);
}
