import { failure } from './errors.js';
import { refuseUnstorable } from './storable.js';

/**
 * Limit of nested lists and objects in one text; stored values may have fewer levels, since
 * documents wrap them.
 */
const MAX_LEVELS = 64;

export interface JsonTextOptions {
  /** The path prefix of faults, such as `variables`. */
  readonly at?: string;
  /** Accepts unstorable texts; the reader of the value checks them. */
  readonly anyText?: boolean;
}

/**
 * Parses JSON from outside. It limits the depth of the text first, so that later code may use
 * recursion. It refuses texts that the database can not store.
 * @throws ApiError COULD_NOT_PARSE_BODY or COULD_NOT_VALIDATE
 */
export function parseJson(text: string, { at, anyText = false }: JsonTextOptions = {}): unknown {
  refuseDeepJson(text);
  const value = parsed(text);
  if (!anyText && mayBeUnstorable(text)) refuseUnstorable(value, at);
  return value;
}

/** Makes the same checks for a text that a library parses. */
export function refuseHarmfulJson(text: string): void {
  if (mayBeUnstorable(text)) parseJson(text);
  else refuseDeepJson(text);
}

/** Whether a check is needed: in JSON, NUL and lone surrogates are always escapes. */
const mayBeUnstorable = (text: string): boolean =>
  text.includes('\\u') || text.includes('"__proto__"');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw failure('COULD_NOT_PARSE_BODY', unparsable(error));
  }
}

/** @throws ApiError COULD_NOT_PARSE_BODY */
export function refuseDeepJson(text: string): void {
  const place = firstTooDeep(text);
  if (place === -1) return;
  throw failure(
    'COULD_NOT_PARSE_BODY',
    `JSON may not nest deeper than ${String(MAX_LEVELS)} levels, as it does at position ${String(place)}`,
  );
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The position of the bracket that opens one level too many, or -1. One pass, without recursion. */
function firstTooDeep(text: string): number {
  let levels = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === 0x5b || code === 0x7b) levels += 1;
    else if (code === 0x5d || code === 0x7d) levels -= 1;
    if (levels > MAX_LEVELS) return i;
  }
  return -1;
}

/** The position of the closing quote of the string that begins at `begin`. */
function endOfString(text: string, begin: number): number {
  for (let i = begin + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i;
    if (code === BACKSLASH) i += 1;
  }
  return text.length;
}

/**
 * Gives only the position: the parser's message repeats the text, which may be a part of a
 * password.
 */
function unparsable(error: unknown): string {
  const [place] = /at position \d+/.exec(error instanceof Error ? error.message : '') ?? [];
  return place === undefined ? 'the body is not JSON' : `the body is not JSON ${place}`;
}
