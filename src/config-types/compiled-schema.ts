import { createHash } from 'node:crypto';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { isIdnHostname } from './idn-hostname.js';
import type { JsonSchema } from '../base/json-schema.js';
import { canonicalJson, isObject } from './json-schema.js';

/** One schema, ready to judge data. */
export interface CompiledSchema {
  /** Faults of the data, empty when it conforms; `all` looks on after the first one. */
  faults(data: unknown, all: boolean): readonly ErrorObject[];
}

/** Bounds of what is kept compiled; sizes are characters of schema text. */
const KEPT = { max: 500, maxSize: 4 * 1024 * 1024 };

const kept = new LRUCache<string, CompiledSchema>(KEPT);

/** Unknown keywords and formats are ignored, and a `$ref` leads nowhere outside the schema. */
function newCompiler(allErrors: boolean): Ajv {
  const compiler = new Ajv({ allErrors, strict: false, validateSchema: false, logger: false });
  compiler.removeKeyword('id');
  addFormats.default(compiler);
  compiler.addFormat('idn-hostname', isIdnHostname);
  return compiler;
}

/**
 * A compiler per schema, because `$id`s of strangers must not meet in one registry. `$schema` is
 * dropped, as drafts other than 07 are read as 07, and so is `$async`, which would turn the verdict
 * into a promise.
 */
function compile(text: string): CompiledSchema {
  const parsed: unknown = JSON.parse(text);
  const schema = Object.fromEntries(
    Object.entries(isObject(parsed) ? parsed : {}).filter(
      ([keyword]) => keyword !== '$schema' && keyword !== '$async',
    ),
  );
  const first = newCompiler(false).compile(schema);
  let every: typeof first | undefined;
  return {
    faults(data, all) {
      if (first(data)) return [];
      if (!all) return first.errors ?? [];
      every ??= newCompiler(true).compile(schema);
      return every(data) ? [] : (every.errors ?? []);
    },
  };
}

/** Throws what the compiler throws (an `Error` that tells the fault) when the schema is unsound. */
export function compiledSchema(schema: JsonSchema): CompiledSchema {
  const text = canonicalJson(schema);
  const key = createHash('sha256').update(text).digest('base64');
  const known = kept.get(key);
  if (known) return known;
  const compiled = compile(text);
  kept.set(key, compiled, { size: text.length });
  return compiled;
}
