import type { RequestContext } from './context.js';

const valuesByRequest = new WeakMap<RequestContext, Map<object, unknown>>();

/**
 * Makes something once for each request, such as a loader, when the request needs it first. A
 * document with several mutations gets it anew for each of them.
 */
export function perRequest<T>(make: (ctx: RequestContext) => T): (ctx: RequestContext) => T {
  return (ctx) => {
    const values = valuesByRequest.get(ctx) ?? new Map<object, unknown>();
    valuesByRequest.set(ctx, values);
    if (!values.has(make)) values.set(make, make(ctx));
    return values.get(make) as T;
  };
}

/** Forgets what a request has made: a write makes it out of date. */
export const forgetMade = (ctx: RequestContext): void => {
  valuesByRequest.delete(ctx);
};
