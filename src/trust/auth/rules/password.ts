import { invalidField } from '../../../base/errors.js';

/** The published bounds of passwords; policies can only raise the lower one. */
export const MIN_PASSWORD_LENGTH = 5;
const MAX_PASSWORD_LENGTH = 100;

export interface PasswordRules {
  readonly minPasswordLength: number;
  readonly requireMixedCase: boolean;
  readonly requireNumberChar: boolean;
  readonly requireSpecialChar: boolean;
}

/** Character classes of Unicode, so that no alphabet is at a disadvantage. */
const CLASSES = [
  ['requireMixedCase', /\p{Ll}/u, 'must have a lower-case letter'],
  ['requireMixedCase', /\p{Lu}/u, 'must have an upper-case letter'],
  ['requireNumberChar', /\p{N}/u, 'must have a digit'],
  ['requireSpecialChar', /[\p{P}\p{S}]/u, 'must have a special character'],
] as const;

/** Floor of the program below, and never a length that no password may have. */
const effectiveMinimum = (rules: PasswordRules): number =>
  Math.min(Math.max(rules.minPasswordLength, MIN_PASSWORD_LENGTH), MAX_PASSWORD_LENGTH);

function passwordFault(rules: PasswordRules, password: string): string | undefined {
  const length = Array.from(password).length;
  const minimum = effectiveMinimum(rules);
  if (length < minimum) return `must have at least ${String(minimum)} characters`;
  if (length > MAX_PASSWORD_LENGTH) {
    return `must have at most ${String(MAX_PASSWORD_LENGTH)} characters`;
  }
  return CLASSES.find(([rule, pattern]) => rules[rule] && !pattern.test(password))?.[2];
}

/** Refuses a new password that the rules do not allow: 400, field `password`, never repeating it. */
export function checkPassword(rules: PasswordRules, password: string): void {
  const fault = passwordFault(rules, password);
  if (fault !== undefined) throw invalidField('password', fault, null);
}
