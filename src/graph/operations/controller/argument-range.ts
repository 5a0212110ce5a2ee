import { invalidField } from '../../../base/errors.js';

/** Gives the value of an argument; refuses one that is out of range. */
export function within(name: string, value: number, least: number, most: number): number {
  if (value >= least && value <= most) return value;
  throw invalidField(name, `not from ${String(least)} to ${String(most)}`, value);
}
