import type { Resource } from './resource.js';

/** Exact totals that need no SQL; `undefined` where they are not held. */
export interface Totals {
  count(resource: Resource): number | undefined;
}

declare module '../request/context.js' {
  interface Modules {
    readonly totals: Totals;
  }
}
