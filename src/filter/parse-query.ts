import type { ErrorCode } from '../base/errors.js';
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
 * The syntax tree of a filter text. Blank text is a query without parts.
 * @throws ApiError INVALID_FILTER, saying where and why the text is not a filter.
 */
export function parseQuery(text: string): Query {
  const parser = new Parser(text, 'INVALID_FILTER');
  return parser.whole(() => parser.query(0)) ?? {};
}

/**
 * The text that follows `sort by`, as the query parameter `sort` carries it. Blank text is no term.
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

/** What still waits for its right side while a filter is read from left to right. */
type Frame = { kind: 'not' } | { kind: 'and' | 'or'; terms: Predicate[] };

class Parser {
  readonly #at: TokenCursor;
  readonly #size = new FilterSize();

  constructor(text: string, code: ErrorCode) {
    this.#at = new TokenCursor(text, code);
  }

  /** Reads the whole text; nothing when it is blank. */
  whole<T>(read: () => T): T | undefined {
    if (this.#at.atEnd()) return undefined;
    const result = read();
    if (!this.#at.atEnd()) throw this.#at.unexpected('the end of the text');
    return result;
  }

  query(depth: number): Query {
    const predicate = CLAUSES.has(this.#at.token.word) ? undefined : this.#filter(depth);
    let first = predicate === undefined;
    const clause = <T>(word: string, read: () => T): T | undefined => {
      const { token } = this.#at;
      if (token.word !== word || (!first && token.gap === 0)) return undefined;
      first = false;
      this.#at.advance();
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
    while (this.#at.isSymbol(',')) {
      this.#at.advance();
      terms.push(this.#sortTerm());
    }
    return terms;
  }

  #sortClause(): SortTerm[] {
    this.#at.expectWord('by');
    return this.sortTerms();
  }

  #sortTerm(): SortTerm {
    const field = pathText(this.#path());
    const { word, gap } = this.#at.token;
    if (gap === 0 || (word !== 'asc' && word !== 'desc')) return { field, direction: 'asc' };
    this.#at.advance();
    return { field, direction: word };
  }

  #limit(): number | 'none' {
    if (this.#at.token.word !== 'none') return this.#integer();
    this.#at.needBlank();
    this.#at.advance();
    return 'none';
  }

  #integer(): number {
    this.#at.needBlank();
    const { kind, source } = this.#at.token;
    if (kind !== 'number' || !/^-?\d+$/.test(source)) throw this.#at.unexpected('an integer');
    this.#at.advance();
    const edge = Number.MAX_SAFE_INTEGER;
    return Math.max(-edge, Math.min(edge, Number(source)));
  }

  /**
   * `and`, `or` and `not` all take everything to their right. So the text is a row of terms, each
   * opening a deeper group unless the operator stays the same, and no recursion is needed.
   */
  #filter(depth: number): Predicate {
    const frames: Frame[] = [];
    for (;;) {
      if (depth + frames.length > MAX_DEPTH) throw this.#at.tooDeep();
      if (this.#at.token.word === 'not') {
        this.#at.advance();
        this.#at.needBlank();
        frames.push({ kind: 'not' });
        continue;
      }
      const term = this.#term(depth + frames.length);
      const { word, gap } = this.#at.token;
      if (gap === 0 || (word !== 'and' && word !== 'or')) return fold(frames, term);
      this.#at.advance();
      this.#at.needBlank();
      const open = frames.at(-1);
      if (open?.kind === word) open.terms.push(term);
      else frames.push({ kind: word, terms: [term] });
    }
  }

  #term(depth: number): Predicate {
    if (this.#at.isSymbol('(')) {
      this.#at.advance();
      const inner = this.#filter(depth + 1);
      this.#at.expectSymbol(')');
      return inner;
    }
    this.#size.addTerm();
    switch (this.#at.token.word) {
      case 'true':
      case 'false':
        return constant(this.#at.advance().word === 'true');
      case 'isempty':
        return { kind: 'isEmpty', set: this.#inParentheses(() => this.#setArgument(depth)) };
      default:
        return this.#comparisonOrFlag(this.#operand(depth));
    }
  }

  #operand(depth: number): Operand {
    const { word } = this.#at.token;
    if (word === 'count') {
      return { kind: 'count', set: this.#inParentheses(() => this.#setArgument(depth)) };
    }
    if (word === 'anyof' || word === 'allof') {
      const path = this.#inParentheses(() => this.#path());
      return { kind: word === 'anyof' ? 'anyOf' : 'allOf', path };
    }
    return { kind: 'symbol', path: this.#path() };
  }

  /** The argument of a function, whose parenthesis follows its name without a blank. */
  #inParentheses<T>(read: () => T): T {
    this.#at.advance();
    if (this.#at.token.gap > 0) throw this.#at.unexpected('( without a blank before');
    this.#at.expectSymbol('(');
    const content = read();
    this.#at.expectSymbol(')');
    return content;
  }

  #setArgument(depth: number): SetArgument {
    if (this.#at.token.word !== 'from') return { path: this.#path() };
    if (depth >= MAX_DEPTH) throw this.#at.tooDeep();
    this.#at.advance();
    this.#at.needBlank();
    const path = this.#path();
    this.#at.expectWord('where');
    return { path, query: this.query(depth + 1) };
  }

  #comparisonOrFlag(operand: Operand): Comparison {
    const { kind, source, word } = this.#at.token;
    const symbol = kind === 'symbol' ? SYMBOL_OPERATORS.get(source) : undefined;
    if (symbol) {
      this.#at.advance();
      return this.#comparison(operand, ...symbol);
    }
    if (word === 'not' || WORD_OPERATORS.has(word)) {
      return this.#comparison(operand, this.#wordOperator(), word === 'not');
    }
    if (operand.kind !== 'symbol') throw this.#at.unexpected('an operator');
    return comparison(operand, 'eq', false, [{ kind: 'bool', value: true }]);
  }

  #wordOperator(): Operator {
    const separate = this.#at.token.gap > 0;
    const negated = this.#at.token.word === 'not';
    if (negated) this.#at.advance();
    const { word, gap } = this.#at.token;
    const operator = WORD_OPERATORS.get(word);
    const needsBlank = operator === 'in' || operator === 'between';
    if (!operator || (needsBlank && !separate)) throw this.#at.unexpected('an operator');
    if (negated && (operator === 'in' ? gap !== 1 : gap === 0)) {
      throw this.#at.unexpected(`${operator} after one blank`);
    }
    this.#at.advance();
    this.#at.needBlank();
    return operator;
  }

  #comparison(operand: Operand, operator: Operator, negated: boolean): Comparison {
    if (operator === 'in') return comparison(operand, operator, negated, this.#array());
    if (operator === 'eq' && this.#at.token.word === 'null') {
      this.#at.advance();
      return comparison(operand, 'isNull', negated, []);
    }
    const first = this.#literal(operator);
    if (operator !== 'between') return comparison(operand, operator, negated, [first]);
    this.#at.expectWord('and');
    return comparison(operand, operator, negated, [first, this.#literal(operator, first)]);
  }

  #array(): Literal[] {
    if (!this.#at.isSymbol('[')) throw this.#at.unexpected('[');
    const values: Literal[] = [];
    do {
      this.#at.advance();
      this.#size.addValues(1);
      values.push(this.#literal('in', values[0]));
    } while (this.#at.isSymbol(','));
    this.#at.expectSymbol(']');
    return values;
  }

  /** A literal that the operator takes, and of the family of its neighbour. */
  #literal(operator: Operator, neighbour?: Literal): Literal {
    const literal = this.#readLiteral();
    const fits = literal && LITERALS_OF[operator].includes(literal.kind);
    if (!fits || (neighbour && family(neighbour) !== family(literal))) {
      throw this.#at.unexpected(`a value that ${operator} accepts`);
    }
    this.#at.advance();
    return literal;
  }

  #readLiteral(): Literal | undefined {
    const { kind, word, text, source } = this.#at.token;
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
    const { kind, word, path } = this.#at.token;
    if (kind !== 'name' || KEYWORDS.has(word)) throw this.#at.unexpected('a name');
    if (path.length > MAX_SEGMENTS) throw this.#at.unexpected('a shorter name');
    this.#at.advance();
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
