import type { JsonObject } from '../../base/row.js';
import type { RouterSdkTerminatorDetail } from '../messages/index.js';
import { objectsIn, textIn } from './router-value.js';
import { resultOfParts, type ValidationResult } from './validation-result.js';

/** The stored terminators of a router, by their ids. */
export interface TerminatorFacts {
  /** When the router was asked. */
  readonly earlier: ReadonlySet<string>;
  readonly present: ReadonlySet<string>;
}

const ESTABLISHED = 'established';

/** Compares the terminators that a router reports with those that are stored for it. */
export function compareTerminators(
  value: JsonObject,
  { earlier, present }: TerminatorFacts,
): ValidationResult {
  const reported = objectsIn(value.entries);
  const reportedIds = new Set(reported.map(({ id }) => textIn(id)));
  const details = [
    ...reported.map((entry) => reportedTerminator(entry, present.has(textIn(entry.id)))),
    // A terminator that was made or removed meanwhile is not missing.
    ...[...earlier].filter((id) => present.has(id) && !reportedIds.has(id)).map(missingTerminator),
  ];
  return resultOfParts(
    details,
    details.every(({ isValid }) => isValid),
  );
}

const reportedTerminator = (entry: JsonObject, isStored: boolean): RouterSdkTerminatorDetail => ({
  terminatorId: textIn(entry.id),
  ctrlState: isStored ? 'Valid' : 'Unknown',
  routerState: textIn(entry.state),
  isValid: isStored && entry.state === ESTABLISHED,
  operationActive: entry.operationActive === true,
  createTime: textIn(entry.createTime),
  lastAttempt: textIn(entry.lastAttempt),
});

const missingTerminator = (terminatorId: string): RouterSdkTerminatorDetail => ({
  terminatorId,
  ctrlState: 'Valid',
  routerState: 'unknown',
  isValid: false,
  operationActive: false,
  createTime: '',
  lastAttempt: '',
});
