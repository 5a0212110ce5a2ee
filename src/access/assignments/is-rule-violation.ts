import { ApiError } from '../../base/errors.js';

export const isRuleViolation = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'ACCESS_RULE_VIOLATED';
