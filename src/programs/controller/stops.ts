/** Functions that stop started parts, called in reverse order. */
export type Stops = (() => Promise<void>)[];
