import { failure } from '../../base/errors.js';
import type { FilterSymbol, SymbolTable } from './filter-symbol.js';
import { FilterSize } from './filter-size.js';
import { segments } from './lexer.js';
import { datetimeLiteral, family, scalarLiteral } from './literal.js';
import type { Literal } from './literal.js';
import { keyNeeded, readKey } from './map-key.js';
import { LITERALS_OF, MAX_DEPTH, comparison, constant } from './predicate.js';
import type { Operand, Operator, Path, Predicate } from './predicate.js';

/**
 * The typed form of a filter. All members of one object must hold.
 *
 * - `and`, `or`: lists of where objects; `not`: a where object
 * - a value: `{ eq, ne, lt, lte, gt, gte, in, notIn, between: [from, below], notBetween, contains,
 * notContains, icontains, notIcontains, isNull }`; `eq: null` is `isNull`
 * - a set: `{ anyOf, allOf, noneOf, count: operators of a value, isEmpty }`; several operators in
 *   one `anyOf` may be met by different elements
 * - a link: as a set (of ids), and `{ some, none: where object of the linked resource }`
 * - a map: one or several `{ key: 'a.b', ...operators of a value }`
 *
 * A null member is absent, as everywhere in GraphQL; only in the operators of a value null is a
 * value.
 */
export type WhereInput = Readonly<Record<string, unknown>>;

/**
 * The syntax tree of a typed filter; the equal filter text gives the same tree. `names` maps member
 * names of the input to symbol names if they differ (`primary_cert` to `primary.cert`), for this
 * resource and linked ones.
 * @throws ApiError INVALID_FILTER
 */
export function wherePredicate(
  where: WhereInput,
  symbols: SymbolTable,
  names?: ReadonlyMap<string, string>,
): Predicate {
  return new WhereReader(names).object(where, symbols, 0);
}

class WhereReader {
  readonly #size = new FilterSize();

  constructor(readonly names: ReadonlyMap<string, string> | undefined) {}

  object(where: unknown, symbols: SymbolTable, depth: number): Predicate {
    if (depth > MAX_DEPTH) throw invalid(`groups are nested more than ${String(MAX_DEPTH)} deep`);
    return this.#all(
      presentMembers(where, 'where').map(([name, value]) => {
        switch (name) {
          case 'and':
            return this.#all(this.#list(name, value, symbols, depth));
          case 'or':
            return any(this.#counted(this.#list(name, value, symbols, depth)));
          case 'not':
            return { kind: 'not', term: this.object(value, symbols, depth + 1) };
          default:
            return this.#field(name, value, symbols, depth);
        }
      }),
    );
  }

  #list(name: string, value: unknown, symbols: SymbolTable, depth: number): Predicate[] {
    if (!Array.isArray(value)) throw invalid(`'${name}' must be a list`);
    return value.map((entry: unknown) => this.object(entry, symbols, depth + 1));
  }

  #field(member: string, value: unknown, symbols: SymbolTable, depth: number): Predicate {
    const symbol = symbols.get(this.names?.get(member) ?? member) ?? symbols.get(member);
    if (!symbol) throw invalid(`unknown symbol '${member}'`);
    switch (symbol.shape) {
      case 'value':
        return this.#comparisonsOf(
          { kind: 'symbol', path: segments(symbol.name) },
          value,
          symbol,
          member,
        );
      case 'map':
        return this.#map(symbol, value, member);
      default:
        return this.#all(
          presentMembers(value, member).map(([operator, operand]) =>
            this.#set(symbol, member, operator, operand, depth),
          ),
        );
    }
  }

  #map(symbol: FilterSymbol, value: unknown, member: string): Predicate {
    const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
    return this.#all(
      entries.map((entry) => {
        const operators = members(entry, member);
        const key = operators.find(([name]) => name === 'key')?.[1];
        const path = [...segments(symbol.name), ...keyPath(key, member)];
        const rest = Object.fromEntries(operators.filter(([name]) => name !== 'key'));
        return this.#comparisonsOf({ kind: 'symbol', path }, rest, symbol, member);
      }),
    );
  }

  #set(
    symbol: FilterSymbol,
    member: string,
    operator: string,
    value: unknown,
    depth: number,
  ): Predicate {
    const path = segments(symbol.name);
    switch (operator) {
      case 'anyOf':
      case 'allOf':
        return this.#comparisonsOf({ kind: operator, path }, value, symbol, member);
      case 'noneOf':
        return this.#all(
          this.#terms({ kind: 'anyOf', path }, value, symbol, member).map((term) => ({
            kind: 'not',
            term,
          })),
        );
      case 'count':
        return this.#comparisonsOf({ kind: 'count', set: { path } }, value, symbol, member);
      case 'isEmpty':
        this.#size.addTerm();
        return unless(flag(value, `${member}.isEmpty`), { kind: 'isEmpty', set: { path } });
      default:
        return this.#linked(symbol, member, operator, value, depth);
    }
  }

  #linked(
    symbol: FilterSymbol,
    member: string,
    operator: string,
    value: unknown,
    depth: number,
  ): Predicate {
    if (!symbol.link || (operator !== 'some' && operator !== 'none')) {
      throw invalid(`'${member}' has no operator '${operator}'`);
    }
    this.#size.addTerm();
    const predicate = this.object(value, symbol.link.symbols(), depth + 1);
    const set = { path: segments(symbol.name), query: { predicate } };
    return unless(operator === 'none', { kind: 'isEmpty', set });
  }

  #comparisonsOf(operand: Operand, value: unknown, symbol: FilterSymbol, name: string): Predicate {
    return this.#all(this.#terms(operand, value, symbol, name));
  }

  #terms(operand: Operand, value: unknown, symbol: FilterSymbol, name: string): Predicate[] {
    const dates = symbol.type === 'datetime' && operand.kind === 'symbol';
    return members(value, name).map(([operator, right]) => {
      this.#size.addTerm();
      if (Array.isArray(right)) this.#size.addValues(right.length);
      return typedComparison(operand, operator, right, dates, name);
    });
  }

  #all(terms: readonly Predicate[]): Predicate {
    return all(this.#counted(terms));
  }

  /** Counts a group without terms as one term, since it also costs time. */
  #counted(terms: readonly Predicate[]): readonly Predicate[] {
    if (terms.length === 0) this.#size.addTerm();
    return terms;
  }
}

const OPERATORS: ReadonlyMap<string, readonly [Operator, boolean]> = new Map([
  ['eq', ['eq', false]],
  ['ne', ['eq', true]],
  ['lt', ['lt', false]],
  ['lte', ['lte', false]],
  ['gt', ['gt', false]],
  ['gte', ['gte', false]],
  ['in', ['in', false]],
  ['notIn', ['in', true]],
  ['between', ['between', false]],
  ['notBetween', ['between', true]],
  ['contains', ['contains', false]],
  ['notContains', ['contains', true]],
  ['icontains', ['icontains', false]],
  ['notIcontains', ['icontains', true]],
] as const);

function typedComparison(
  operand: Operand,
  name: string,
  value: unknown,
  dates: boolean,
  member: string,
): Predicate {
  if (name === 'isNull') {
    return comparison(operand, 'isNull', !flag(value, `${member}.isNull`), []);
  }
  const [operator, negated] = OPERATORS.get(name) ?? [];
  if (!operator || negated === undefined) throw invalid(`'${member}' has no operator '${name}'`);
  if (operator === 'eq' && value === null) return comparison(operand, 'isNull', negated, []);
  const values = operandList(operator, value, `${member}.${name}`);
  const literals = values.map((entry) => literal(operator, entry, dates, `${member}.${name}`));
  if (new Set(literals.map(family)).size > 1) {
    throw invalid(`'${member}.${name}' mixes values of several types`);
  }
  return comparison(operand, operator, negated, literals);
}

function operandList(operator: Operator, value: unknown, name: string): readonly unknown[] {
  if (operator !== 'in' && operator !== 'between') return [value];
  if (!Array.isArray(value)) throw invalid(`'${name}' must be a list`);
  if (operator === 'between' && value.length !== 2) throw invalid(`'${name}' must be a pair`);
  return value;
}

function literal(operator: Operator, value: unknown, dates: boolean, name: string): Literal {
  const parsed = dates && typeof value === 'string' ? datetimeLiteral(value) : scalarLiteral(value);
  if (!parsed || !LITERALS_OF[operator].includes(parsed.kind)) {
    throw invalid(`'${name}' has a value that it does not accept`);
  }
  return parsed;
}

function keyPath(key: unknown, member: string): Path {
  const path = readKey(key);
  if (!path) throw invalid(keyNeeded(member));
  return path;
}

function members(value: unknown, name: string): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(`'${name}' must be an object`);
  }
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

const presentMembers = (value: unknown, name: string): [string, unknown][] =>
  members(value, name).filter(([, member]) => member !== null);

function flag(value: unknown, name: string): boolean {
  if (typeof value !== 'boolean') throw invalid(`'${name}' must be true or false`);
  return value;
}

const unless = (positive: boolean, term: Predicate): Predicate =>
  positive ? term : { kind: 'not', term };

const all = (terms: readonly Predicate[]): Predicate => group('and', terms);
const any = (terms: readonly Predicate[]): Predicate => group('or', terms);

/** Combines terms; an empty `and` is true, an empty `or` is false. */
function group(kind: 'and' | 'or', terms: readonly Predicate[]): Predicate {
  const only = terms.length === 1 ? terms[0] : undefined;
  if (only) return only;
  return terms.length === 0 ? constant(kind === 'and') : { kind, terms };
}

const invalid = (reason: string): Error => failure('INVALID_FILTER', reason);
