import type { JsonObject } from '../../base/row.js';

/** What the comparison of a router or controller with the rest of the network has given. */
export interface ValidationResult {
  /** Whether it could be compared; else the first error has the reason. */
  readonly isDone: boolean;
  readonly isValid: boolean;
  readonly errors: readonly string[];
  /** What was compared, each part alone: links, circuits or terminators. */
  readonly details: readonly JsonObject[];
}

/** The reason why a node can not be validated, for operators. */
export class ValidationFault extends Error {}

/** The result for a node that could not be compared. */
export const notValidated = (reason: string): ValidationResult => ({
  isDone: false,
  isValid: false,
  errors: [reason],
  details: [],
});

/** More would hide what they have in common. */
const MAX_ERRORS = 1_000;

/** The result of a comparison that gives its differences as texts. */
export const resultOfErrors = (errors: readonly string[]): ValidationResult => ({
  isDone: true,
  isValid: errors.length === 0,
  errors:
    errors.length <= MAX_ERRORS
      ? errors
      : [...errors.slice(0, MAX_ERRORS), `and ${String(errors.length - MAX_ERRORS)} more`],
  details: [],
});

/** The result of a comparison of several parts. */
export const resultOfParts = (details: readonly object[], isValid: boolean): ValidationResult => ({
  isDone: true,
  isValid,
  errors: [],
  details: details as readonly JsonObject[],
});
