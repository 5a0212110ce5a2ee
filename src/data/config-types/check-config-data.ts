import type { ErrorObject } from 'ajv';
import { invalidField } from '../../base/errors.js';
import { compiledSchema } from './compiled-schema.js';
import { firstFault } from './first-fault.js';
import type { JsonSchema } from '../../base/json-schema.js';
import { isObject } from '../../base/row.js';
import { TimeLimitExceeded, withinTime } from './time-limit.js';

const MAX_MILLISECONDS = 1000;

/** For a document with more values, validation stops at its first fault, in schema order. */
const MAX_VALUES_SEARCHED = 5000;

/** Counts values only up to the bound. */
function isSmall(data: unknown): boolean {
  const open: unknown[] = [data];
  for (let count = 0; open.length > 0; count++) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const members: unknown[] = Object.values(value);
    if (count + open.length + members.length > MAX_VALUES_SEARCHED) return false;
    open.push(...members);
  }
  return true;
}

function faultsOf(schema: JsonSchema, data: unknown): readonly ErrorObject[] {
  let faults: readonly ErrorObject[] = [];
  try {
    withinTime(MAX_MILLISECONDS, () => {
      faults = compiledSchema(schema).faults(data, isSmall(data));
    });
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error;
    throw invalidField('(root)', 'could not be checked against its schema in time', null);
  }
  return faults;
}

/**
 * Refuses config data that is no object (field `data`) or breaks the schema of its type: 400 with the
 * dotted path of the first fault as field, `(root)` for the whole. Without a schema, any object is
 * valid.
 */
export function checkConfigData(schema: JsonSchema | null | undefined, data: unknown): void {
  if (!isObject(data)) throw invalidField('data', 'must be an object', data ?? null);
  if (schema === undefined || schema === null) return;
  const faults = faultsOf(schema, data);
  if (faults.length === 0) return;
  const { field, reason, value } = firstFault(data, faults) ?? {
    field: '(root)',
    reason: 'does not conform to its schema',
    value: null,
  };
  throw invalidField(field, reason, value);
}
