import type { Resource } from './resource.js';

/** Exact totals from memory; `undefined` for a resource without one. */
export interface Totals {
  count(resource: Resource): number | undefined;
}

declare module '../request/context.js' {
  interface Modules {
    readonly totals: Totals;
  }
}
