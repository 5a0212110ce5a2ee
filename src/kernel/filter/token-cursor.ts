import { failure } from '../../base/errors.js';
import type { ApiError, ErrorCode } from '../../base/errors.js';
import { Lexer } from './lexer.js';
import type { Token } from './lexer.js';
import { MAX_DEPTH } from './predicate.js';

/** Longest filter or sort text, in UTF-8 bytes. */
const MAX_TEXT_BYTES = 64 * 1024;

/** Gives one token of look-ahead, and makes errors with a position in the text. */
export class TokenCursor {
  readonly #lexer: Lexer;
  readonly #code: ErrorCode;
  #token: Token;

  constructor(text: string, code: ErrorCode) {
    if (Buffer.byteLength(text) > MAX_TEXT_BYTES) {
      throw failure(code, `the text is longer than ${String(MAX_TEXT_BYTES)} bytes`);
    }
    this.#code = code;
    this.#lexer = new Lexer(text);
    this.#token = this.#lexer.next();
  }

  get token(): Token {
    return this.#token;
  }

  atEnd(): boolean {
    return this.#token.kind === 'end';
  }

  isSymbol(source: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.source === source;
  }

  /** Moves to the next token and gives the previous one. */
  advance(): Token {
    const passed = this.#token;
    this.#token = this.#lexer.next();
    return passed;
  }

  needBlank(): void {
    if (this.#token.gap === 0) throw this.unexpected('a blank');
  }

  expectSymbol(source: string): void {
    if (!this.isSymbol(source)) throw this.unexpected(source);
    this.advance();
  }

  /** A keyword with blanks on both sides. */
  expectWord(word: string): void {
    if (this.#token.word !== word || this.#token.gap === 0) throw this.unexpected(word);
    this.advance();
    this.needBlank();
  }

  /** Clients know the beginning of this message; the expected token is appended. */
  unexpected(expected: string): ApiError {
    const { source, position } = this.#token;
    const { line, column } = this.#lexer.locate(position);
    const shown = source.length > 80 ? `${source.slice(0, 80)}...` : source;
    const [l, c] = [String(line), String(column)];
    return failure(
      this.#code,
      `Unexpected symbol: "${shown}" at line: ${l} column: ${c}. ` +
        `line: ${l}, column: ${c}, symbol: ${shown}, expected: ${expected}`,
    );
  }

  tooDeep(): ApiError {
    const { line, column } = this.#lexer.locate(this.#token.position);
    return failure(
      this.#code,
      `groups are nested more than ${String(MAX_DEPTH)} deep ` +
        `at line: ${String(line)} column: ${String(column)}`,
    );
  }
}
