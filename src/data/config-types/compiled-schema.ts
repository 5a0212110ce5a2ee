import { createHash } from 'node:crypto';
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { isIdnHostname } from './idn-hostname.js';
import type { JsonSchema } from '../../base/json-schema.js';
import { canonicalJson } from '../../base/canonical-json.js';
import { isObject } from '../../base/row.js';

/** A schema that is ready to validate data. */
export interface CompiledSchema {
  /** Faults of the data, empty when it conforms; `all` looks on after the first one. */
  faults(data: unknown, all: boolean): readonly ErrorObject[];
}

/** The limits of the cache; sizes are characters of schema text. */
const CACHE_LIMITS = { max: 500, maxSize: 4 * 1024 * 1024 };

const cache = new LRUCache<string, CompiledSchema>(CACHE_LIMITS);

/** Ignores unknown keywords and formats, and resolves a `$ref` only inside the schema. */
function newCompiler(allErrors: boolean): Ajv {
  const compiler = new Ajv({
    allErrors,
    strict: false,
    validateSchema: false,
    logger: false,
    // JSON has no inherited members, such as `constructor`.
    ownProperties: true,
  });
  compiler.removeKeyword('id');
  addFormats.default(compiler);
  compiler.addFormat('idn-hostname', isIdnHostname);
  return compiler;
}

/**
 * Compiles each schema separately, because `$id`s of strangers must not meet in one registry. It drops
 * `$schema`, because other drafts are read as 07, and `$async`, which would turn the result into a
 * promise.
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

/** Throws the error of the compiler (an `Error` with the fault) for an invalid schema. */
export function compiledSchema(schema: JsonSchema): CompiledSchema {
  const text = canonicalJson(schema);
  const key = createHash('sha256').update(text).digest('base64');
  const cached = cache.get(key);
  if (cached) return cached;
  const compiled = compile(text);
  cache.set(key, compiled, { size: text.length });
  return compiled;
}
