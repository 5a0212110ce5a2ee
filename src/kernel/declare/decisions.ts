import type { Caller } from '../request/context.js';
import type { Change } from '../request/store-port.js';
import type { Catalog } from './catalog.js';
import type { Decisions } from './resource.js';

/** The names of the resources that declare this decision: `deciding(catalog, 'posture')`. */
export const deciding = (catalog: Catalog, what: keyof Decisions): string[] =>
  [...catalog.all()].flatMap(({ name, options }) => (options.decides?.[what] ? [name] : []));

type CallerIds = Pick<Caller, 'apiSessionId' | 'identityId' | 'accessToken'>;

/** Gives a test whether the changes concern a caller; undefined when they concern no caller. */
export function concernedBy(
  catalog: Catalog,
  changes: readonly Change[],
): ((caller: CallerIds) => boolean) | undefined {
  const ids = {
    apiSessionId: new Set<string>(),
    identityId: new Set<string>(),
    tokenId: new Set<string>(),
  };
  let concernsAll = false;
  for (const { resource, id, operation } of changes) {
    const callers = catalog.find(resource)?.options.decides?.callers;
    if (callers === undefined) continue;
    // A token is there before the entity that ends it; no caller is there before its session.
    if (operation === 'create' && callers !== 'tokenId') continue;
    if (callers === 'all') concernsAll = true;
    else ids[callers].add(id);
  }
  if (concernsAll) return () => true;
  if (Object.values(ids).every(({ size }) => size === 0)) return undefined;
  return ({ apiSessionId, identityId, accessToken }) =>
    ids.apiSessionId.has(apiSessionId) ||
    ids.identityId.has(identityId) ||
    (accessToken !== undefined && ids.tokenId.has(accessToken.id));
}
