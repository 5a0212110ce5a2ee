/** The kinds of tokens; `invalid` is text that starts no token. */
export type TokenKind = 'name' | 'string' | 'number' | 'datetime' | 'symbol' | 'invalid' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The token as written. */
  readonly source: string;
  /** Offset of its first character. */
  readonly position: number;
  /** Number of white space characters directly before it; the grammar needs them around words. */
  readonly gap: number;
  /** `name`: its segments. */
  readonly path: readonly string[];
  /** `name` of one plain segment: in lower case, for keywords. Else empty. */
  readonly word: string;
  /** `string`: the unescaped text; `datetime`: the text between the parentheses. */
  readonly text: string;
}

const BLANKS = /[ \t\r\n]*/y;
const QUOTED_SEGMENT = String.raw`'(?:[^'\x00-\x1f]|'')+'`;
const NAME = new RegExp(
  String.raw`(?:[A-Za-z_]\w*|${QUOTED_SEGMENT})(?:\.(?:\w[\w-]*|${QUOTED_SEGMENT}))*`,
  'y',
);
const SEGMENT = new RegExp(String.raw`${QUOTED_SEGMENT}|[\w-]+`, 'g');
const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  // Lower case and without a blank before the parenthesis; otherwise `datetime` is an ordinary
  // name.
  ['datetime', /datetime\([ \t\r\n]*[^()\s]*[ \t\r\n]*\)/y],
  ['name', NAME],
  // eslint-disable-next-line no-control-regex -- raw control characters are what must not match
  ['string', /"[^"\\\x00-\x1f]*(?:\\["\\fnrt][^"\\\x00-\x1f]*)*"/y],
  ['number', /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['symbol', /!=|<=|>=|[=<>()[\],]/y],
];

/** Splits filter text into tokens on demand, so that the first fault in reading order is reported. */
export class Lexer {
  #position = 0;

  constructor(readonly text: string) {}

  next(): Token {
    const gap = this.#match(BLANKS).length;
    const position = this.#position;
    if (position >= this.text.length) return token('end', '<EOF>', position, gap);
    for (const [kind, pattern] of PATTERNS) {
      const source = this.#match(pattern);
      if (source !== '') return token(kind, source, position, gap);
    }
    const source = String.fromCodePoint(this.text.codePointAt(position) ?? 0);
    this.#position += source.length;
    return token('invalid', source, position, gap);
  }

  /** Line from 1 and column from 0, as clients of the documented messages expect. */
  locate(position: number): { line: number; column: number } {
    const before = this.text.slice(0, position);
    const lineStart = before.lastIndexOf('\n') + 1;
    return {
      line: before.split('\n').length,
      column: Array.from(before.slice(lineStart)).length,
    };
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#position;
    const matched = pattern.exec(this.text)?.[0] ?? '';
    this.#position += matched.length;
    return matched;
  }
}

function token(kind: TokenKind, source: string, position: number, gap: number): Token {
  const path = kind === 'name' ? segments(source) : [];
  const word = path.length === 1 && !source.startsWith("'") ? source.toLowerCase() : '';
  return { kind, source, position, gap, path, word, text: contentOf(kind, source) };
}

/** Splits a dotted name; a segment in single quotes may contain any text, with `''` for one quote. */
export const segments = (name: string): string[] =>
  (name.match(SEGMENT) ?? []).map((segment) =>
    segment.startsWith("'") ? segment.slice(1, -1).replaceAll("''", "'") : segment,
  );

function contentOf(kind: TokenKind, source: string): string {
  if (kind === 'string') return unescape(source.slice(1, -1));
  if (kind === 'datetime') return source.slice('datetime('.length, -1).trim();
  return '';
}

const ESCAPES: Readonly<Record<string, string>> = { f: '\f', n: '\n', r: '\r', t: '\t' };

// One pass, so that an escaped backslash before an `n` stays a backslash and an `n`.
const unescape = (body: string): string =>
  body.replace(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
