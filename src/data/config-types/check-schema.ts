import { Ajv } from 'ajv';
import { invalidField } from '../../base/errors.js';
import { compiledSchema } from './compiled-schema.js';
import type { JsonSchema } from '../../base/json-schema.js';
import { isObject } from '../../base/row.js';
import { withinTime } from './time-limit.js';

const MAX_CHARACTERS = 256 * 1024;
const MAX_DEPTH = 64;
const MAX_PATTERNS = 500;
const MAX_PATTERN_CHARACTERS = 1000;
const MAX_COMPILE_MILLISECONDS = 2000;

const drafts = new Ajv({ strict: false, logger: false });

/** A schema of any declared draft is read as draft 07. */
const isDraft07 = drafts.compile({ $ref: 'http://json-schema.org/draft-07/schema#' });

/** Gives the regular expressions of a schema: values of `pattern`, keys of `patternProperties`. */
function patternsOf(keyword: string, value: unknown): readonly string[] {
  if (keyword === 'pattern' && typeof value === 'string') return [value];
  return keyword === 'patternProperties' && isObject(value) ? Object.keys(value) : [];
}

/** Gives the reason why a schema is too costly, if any; also collects its patterns. */
function costReason(part: unknown, depth: number, patterns: string[]): string | undefined {
  if (depth > MAX_DEPTH) return `nests deeper than ${String(MAX_DEPTH)} levels`;
  if (typeof part !== 'object' || part === null) return undefined;
  for (const [keyword, value] of Object.entries(part)) {
    patterns.push(...patternsOf(keyword, value));
    const reason = costReason(value, depth + 1, patterns);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function costFault(schema: JsonSchema): string | undefined {
  const patterns: string[] = [];
  const depthFault = costReason(schema, 0, patterns);
  if (depthFault !== undefined) return depthFault;
  if (JSON.stringify(schema).length > MAX_CHARACTERS) return 'is larger than 256 KiB';
  if (patterns.length > MAX_PATTERNS) return `has more than ${String(MAX_PATTERNS)} patterns`;
  return patterns.some((pattern) => pattern.length > MAX_PATTERN_CHARACTERS)
    ? `has a pattern longer than ${String(MAX_PATTERN_CHARACTERS)} characters`
    : undefined;
}

/** Gives the reason why the compiler refuses the schema, if any. */
function compileFault(schema: JsonSchema): string | undefined {
  let fault: string | undefined;
  try {
    withinTime(MAX_COMPILE_MILLISECONDS, () => {
      if (isDraft07(schema)) compiledSchema(schema);
      else fault = drafts.errorsText(isDraft07.errors, { dataVar: 'schema' });
    });
  } catch (error) {
    fault = error instanceof Error ? error.message : String(error);
  }
  return fault === undefined ? undefined : `is not a usable JSON schema: ${fault}`;
}

/**
 * Refuses schemas of config types that could not be enforced: 400 with field `schema`.
 * Null, absent and `{}` are allowed: with them, any object is valid.
 */
export function checkSchema(schema: unknown): void {
  if (schema === undefined || schema === null) return;
  if (!isObject(schema)) throw invalidField('schema', 'must be an object', schema);
  if (Object.keys(schema).length === 0) return;
  const fault = costFault(schema) ?? compileFault(schema);
  if (fault !== undefined) throw invalidField('schema', fault, null);
  if (schema['type'] !== 'object') {
    throw invalidField('schema', 'must have the root type "object"', schema['type'] ?? null);
  }
}
