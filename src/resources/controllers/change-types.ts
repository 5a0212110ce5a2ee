import type { Caller, RequestContext } from '../../kernel/request/context.js';
import { may, permits } from '../../kernel/declare/permissions.js';

/** Logged types that are no resources, with the entity of the permission to read them. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  PostureData: 'identity',
  ServiceRequestFailure: 'identity',
  NetworkRecord: 'admin',
  Certificate: 'admin',
};

type CallerContext = Pick<RequestContext, 'catalog'> & { readonly caller: Caller | undefined };

/** Gives all types of the change log. */
export const changeTypes = ({ catalog }: Pick<RequestContext, 'catalog'>): Set<string> =>
  new Set([
    ...[...catalog.all()].filter((r) => r.options.unlogged !== true).map(({ name }) => name),
    ...Object.keys(OTHER_TYPES),
  ]);

/** Gives the types whose changes the caller may read; undefined for all types. */
export function readableTypes({ catalog, caller }: CallerContext): ReadonlySet<string> | undefined {
  if (permits(caller, may('admin', 'read'))) return undefined;
  const mayRead = (entity: string): boolean => permits(caller, may(entity, 'read'));
  const resources = [...catalog.all()].filter(({ options }) => mayRead(options.permission));
  const others = Object.entries(OTHER_TYPES).filter(([, entity]) => mayRead(entity));
  return new Set([...resources.map(({ name }) => name), ...others.map(([name]) => name)]);
}
