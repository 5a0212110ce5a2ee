/** Accepted difference between the clocks of controllers. */
export const SKEW_MILLIS = 60_000;
