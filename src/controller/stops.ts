/** Stops what a start has begun, last begun first. */
export type Stops = (() => Promise<void>)[];
