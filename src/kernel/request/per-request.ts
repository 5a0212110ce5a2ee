import type { RequestContext } from './context.js';

/** Makes something once for each request, such as a loader, when the request needs it first. */
export function perRequest<T>(make: (ctx: RequestContext) => T): (ctx: RequestContext) => T {
  const made = new WeakMap<RequestContext, T>();
  return (ctx) => {
    const existing = made.get(ctx);
    if (existing !== undefined) return existing;
    const value = make(ctx);
    made.set(ctx, value);
    return value;
  };
}
