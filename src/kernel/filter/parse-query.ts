import type { ErrorCode } from '../../base/errors.js';
import { FilterSize } from './filter-size.js';
import { datetimeLiteral, family, numberLiteral } from './literal.js';
import type { Literal } from './literal.js';
import {
  LITERALS_OF,
  MAX_DEPTH,
  MAX_SEGMENTS,
  comparison,
  constant,
  pathText,
} from './predicate.js';
import type {
  Comparison,
  Operand,
  Operator,
  Path,
  Predicate,
  Query,
  SetArgument,
  SortTerm,
} from './predicate.js';
import { TokenCursor } from './token-cursor.js';

/**
 * Parses a filter text to its syntax tree. Blank text is an empty query.
 * @throws ApiError INVALID_FILTER with the position and the reason.
 */
export function parseQuery(text: string): Query {
  const parser = new Parser(text, 'INVALID_FILTER');
  return parser.whole(() => parser.query(0)) ?? {};
}

/**
 * Parses the text that follows `sort by`, such as the query parameter `sort`. Blank text has no
 * terms.
 * @throws ApiError INVALID_SORT_IDENTIFIER
 */
export function parseSort(text: string): SortTerm[] {
  const parser = new Parser(text, 'INVALID_SORT_IDENTIFIER');
  return parser.whole(() => parser.sortTerms()) ?? [];
}

const KEYWORDS = new Set(
  (
    'and or not in between contains icontains true false allof anyof count isempty null ' +
    'asc desc sort by skip limit none where from'
  ).split(' '),
);
const CLAUSES = new Set(['sort', 'skip', 'limit']);
const SYMBOL_OPERATORS: ReadonlyMap<string, readonly [Operator, boolean]> = new Map([
  ['=', ['eq', false]],
  ['!=', ['eq', true]],
  ['<', ['lt', false]],
  ['<=', ['lte', false]],
  ['>', ['gt', false]],
  ['>=', ['gte', false]],
] as const);
const WORD_OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['in', 'in'],
  ['between', 'between'],
  ['contains', 'contains'],
  ['icontains', 'icontains'],
] as const);

/** An operator whose right side is not parsed yet. */
type Frame = { kind: 'not' } | { kind: 'and' | 'or'; terms: Predicate[] };

class Parser {
  readonly #cursor: TokenCursor;
  readonly #size = new FilterSize();

  constructor(text: string, code: ErrorCode) {
    this.#cursor = new TokenCursor(text, code);
  }

  /** Parses the whole text; undefined if it is blank. */
  whole<T>(read: () => T): T | undefined {
    if (this.#cursor.atEnd()) return undefined;
    const result = read();
    if (!this.#cursor.atEnd()) throw this.#cursor.unexpected('the end of the text');
    return result;
  }

  query(depth: number): Query {
    const predicate = CLAUSES.has(this.#cursor.token.word) ? undefined : this.#filter(depth);
    let isFirst = predicate === undefined;
    const clause = <T>(word: string, read: () => T): T | undefined => {
      const { token } = this.#cursor;
      if (token.word !== word || (!isFirst && token.gap === 0)) return undefined;
      isFirst = false;
      this.#cursor.advance();
      return read();
    };
    const sort = clause('sort', () => this.#sortClause());
    const skip = clause('skip', () => this.#integer());
    const limit = clause('limit', () => this.#limit());
    return {
      ...(predicate && { predicate }),
      ...(sort && { sort }),
      ...(skip !== undefined && { skip }),
      ...(limit !== undefined && { limit }),
    };
  }

  sortTerms(): SortTerm[] {
    const terms = [this.#sortTerm()];
    while (this.#cursor.isSymbol(',')) {
      this.#cursor.advance();
      terms.push(this.#sortTerm());
    }
    return terms;
  }

  #sortClause(): SortTerm[] {
    this.#cursor.expectWord('by');
    return this.sortTerms();
  }

  #sortTerm(): SortTerm {
    const field = pathText(this.#path());
    const { word, gap } = this.#cursor.token;
    if (gap === 0 || (word !== 'asc' && word !== 'desc')) return { field, direction: 'asc' };
    this.#cursor.advance();
    return { field, direction: word };
  }

  #limit(): number | 'none' {
    if (this.#cursor.token.word !== 'none') return this.#integer();
    this.#cursor.needBlank();
    this.#cursor.advance();
    return 'none';
  }

  #integer(): number {
    this.#cursor.needBlank();
    const { kind, source } = this.#cursor.token;
    if (kind !== 'number' || !/^-?\d+$/.test(source)) throw this.#cursor.unexpected('an integer');
    this.#cursor.advance();
    const edge = Number.MAX_SAFE_INTEGER;
    return Math.max(-edge, Math.min(edge, Number(source)));
  }

  /**
   * `and`, `or` and `not` apply to everything on their right. So the text is a sequence of terms,
   * each opening a deeper group unless the operator stays the same, and no recursion is needed.
   */
  #filter(depth: number): Predicate {
    const frames: Frame[] = [];
    for (;;) {
      if (depth + frames.length > MAX_DEPTH) throw this.#cursor.tooDeep();
      if (this.#cursor.token.word === 'not') {
        this.#cursor.advance();
        this.#cursor.needBlank();
        frames.push({ kind: 'not' });
        continue;
      }
      const term = this.#term(depth + frames.length);
      const { word, gap } = this.#cursor.token;
      if (gap === 0 || (word !== 'and' && word !== 'or')) return fold(frames, term);
      this.#cursor.advance();
      this.#cursor.needBlank();
      const currentGroup = frames.at(-1);
      if (currentGroup?.kind === word) currentGroup.terms.push(term);
      else frames.push({ kind: word, terms: [term] });
    }
  }

  #term(depth: number): Predicate {
    if (this.#cursor.isSymbol('(')) {
      this.#cursor.advance();
      const inner = this.#filter(depth + 1);
      this.#cursor.expectSymbol(')');
      return inner;
    }
    this.#size.addTerm();
    switch (this.#cursor.token.word) {
      case 'true':
      case 'false':
        return constant(this.#cursor.advance().word === 'true');
      case 'isempty':
        return { kind: 'isEmpty', set: this.#inParentheses(() => this.#setArgument(depth)) };
      default:
        return this.#comparisonOrFlag(this.#operand(depth));
    }
  }

  #operand(depth: number): Operand {
    const { word } = this.#cursor.token;
    if (word === 'count') {
      return { kind: 'count', set: this.#inParentheses(() => this.#setArgument(depth)) };
    }
    if (word === 'anyof' || word === 'allof') {
      const path = this.#inParentheses(() => this.#path());
      return { kind: word === 'anyof' ? 'anyOf' : 'allOf', path };
    }
    return { kind: 'symbol', path: this.#path() };
  }

  /** Parses the argument of a function; no blank is allowed before the parenthesis. */
  #inParentheses<T>(read: () => T): T {
    this.#cursor.advance();
    if (this.#cursor.token.gap > 0) throw this.#cursor.unexpected('( without a blank before');
    this.#cursor.expectSymbol('(');
    const content = read();
    this.#cursor.expectSymbol(')');
    return content;
  }

  #setArgument(depth: number): SetArgument {
    if (this.#cursor.token.word !== 'from') return { path: this.#path() };
    if (depth >= MAX_DEPTH) throw this.#cursor.tooDeep();
    this.#cursor.advance();
    this.#cursor.needBlank();
    const path = this.#path();
    this.#cursor.expectWord('where');
    return { path, query: this.query(depth + 1) };
  }

  #comparisonOrFlag(operand: Operand): Comparison {
    const { kind, source, word } = this.#cursor.token;
    const symbol = kind === 'symbol' ? SYMBOL_OPERATORS.get(source) : undefined;
    if (symbol) {
      this.#cursor.advance();
      return this.#comparison(operand, ...symbol);
    }
    if (word === 'not' || WORD_OPERATORS.has(word)) {
      return this.#comparison(operand, this.#wordOperator(), word === 'not');
    }
    if (operand.kind !== 'symbol') throw this.#cursor.unexpected('an operator');
    return comparison(operand, 'eq', false, [{ kind: 'bool', value: true }]);
  }

  #wordOperator(): Operator {
    const separate = this.#cursor.token.gap > 0;
    const negated = this.#cursor.token.word === 'not';
    if (negated) this.#cursor.advance();
    const { word, gap } = this.#cursor.token;
    const operator = WORD_OPERATORS.get(word);
    const needsBlank = operator === 'in' || operator === 'between';
    if (!operator || (needsBlank && !separate)) throw this.#cursor.unexpected('an operator');
    if (negated && (operator === 'in' ? gap !== 1 : gap === 0)) {
      throw this.#cursor.unexpected(`${operator} after one blank`);
    }
    this.#cursor.advance();
    this.#cursor.needBlank();
    return operator;
  }

  #comparison(operand: Operand, operator: Operator, negated: boolean): Comparison {
    if (operator === 'in') return comparison(operand, operator, negated, this.#array());
    if (operator === 'eq' && this.#cursor.token.word === 'null') {
      this.#cursor.advance();
      return comparison(operand, 'isNull', negated, []);
    }
    const first = this.#literal(operator);
    if (operator !== 'between') return comparison(operand, operator, negated, [first]);
    this.#cursor.expectWord('and');
    return comparison(operand, operator, negated, [first, this.#literal(operator, first)]);
  }

  #array(): Literal[] {
    if (!this.#cursor.isSymbol('[')) throw this.#cursor.unexpected('[');
    const values: Literal[] = [];
    do {
      this.#cursor.advance();
      this.#size.addValues(1);
      values.push(this.#literal('in', values[0]));
    } while (this.#cursor.isSymbol(','));
    this.#cursor.expectSymbol(']');
    return values;
  }

  /** Parses a literal that the operator accepts, of the same family as its neighbour. */
  #literal(operator: Operator, neighbour?: Literal): Literal {
    const literal = this.#readLiteral();
    const fits = literal && LITERALS_OF[operator].includes(literal.kind);
    if (!fits || (neighbour && family(neighbour) !== family(literal))) {
      throw this.#cursor.unexpected(`a value that ${operator} accepts`);
    }
    this.#cursor.advance();
    return literal;
  }

  #readLiteral(): Literal | undefined {
    const { kind, word, text, source } = this.#cursor.token;
    switch (kind) {
      case 'string':
        return { kind, value: text };
      case 'number':
        return numberLiteral(source);
      case 'datetime':
        return datetimeLiteral(text);
      default:
        return word === 'true' || word === 'false'
          ? { kind: 'bool', value: word === 'true' }
          : undefined;
    }
  }

  #path(): Path {
    const { kind, word, path } = this.#cursor.token;
    if (kind !== 'name' || KEYWORDS.has(word)) throw this.#cursor.unexpected('a name');
    if (path.length > MAX_SEGMENTS) throw this.#cursor.unexpected('a shorter name');
    this.#cursor.advance();
    return path;
  }
}

const fold = (frames: readonly Frame[], last: Predicate): Predicate =>
  frames.reduceRight<Predicate>(
    (right, frame) =>
      frame.kind === 'not'
        ? { kind: 'not', term: right }
        : { kind: frame.kind, terms: [...frame.terms, right] },
    last,
  );
