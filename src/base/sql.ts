/**
 * Composable parameterised SQL. A fragment is literal text around values; values become `$n`
 * only when the whole statement is rendered, so fragments nest freely and no value is ever text.
 */
export class Sql<R = unknown> {
  /** The type of a row of the result. */
  declare protected readonly row: R;
  #rendered: { readonly text: string; readonly values: unknown[] } | undefined;

  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
    private readonly isOfClient = false,
  ) {}

  /** A whole statement with a text that was rendered before. */
  static rendered<R>(text: string, values: readonly unknown[]): Sql<R> {
    const statement = new Sql<R>([text], []);
    statement.#rendered = { text, values: [...values] };
    return statement;
  }

  /** Whether a client composed a part of the text: the number of such texts is unlimited. */
  get isComposed(): boolean {
    return this.isOfClient || this.values.some((v) => v instanceof Sql && v.isComposed);
  }

  /** The statement for the driver: placeholders numbered from `$1`. */
  render(): { readonly text: string; readonly values: unknown[] } {
    if (this.#rendered) return this.#rendered;
    const values: unknown[] = [];
    this.#rendered = { text: renderInto(this, values, new Map()), values };
    return this.#rendered;
  }
}

/**
 * A large value that is sent once, even if a statement uses it several times; always with the same
 * cast.
 */
export class LargeValue {
  static #count = 0;
  readonly #number = (LargeValue.#count += 1);

  constructor(readonly value: string) {}

  /** Its number, in keys that compare statements. */
  toJSON(): number {
    return this.#number;
  }
}

type Places = Map<LargeValue, number>;

function renderInto(fragment: Sql, values: unknown[], places: Places): string {
  let text = fragment.strings[0] ?? '';
  fragment.values.forEach((value, i) => {
    text +=
      value instanceof Sql
        ? renderInto(value, values, places)
        : `$${String(placeOf(value, values, places))}`;
    text += fragment.strings[i + 1] ?? '';
  });
  return text;
}

function placeOf(value: unknown, values: unknown[], places: Places): number {
  if (!(value instanceof LargeValue)) return values.push(value);
  const place = places.get(value) ?? values.push(value.value);
  places.set(value, place);
  return place;
}

/**
 * Tagged template: `sql\`name = ${value}\``. A `Sql` value is inlined as text, every other value is
 * a parameter. A whole statement gives the type of its rows: `sql<{ id: string }>\`select id from
 * …\``.
 */
export const sql = <R = unknown>(strings: TemplateStringsArray, ...values: unknown[]): Sql<R> =>
  new Sql(strings, values);

/** Runs statements: the store or one of its transactions. */
export interface Queryable {
  query<R>(statement: Sql<R>): Promise<R[]>;
}

/** Constant text of the program (names of columns and tables, keywords); never user input. */
export const raw = (text: string): Sql => new Sql([text], []);

/** A quoted identifier, optionally qualified: `column('e', 'name')` is `"e"."name"`. */
export const column = (alias: string, name: string): Sql => raw(`"${alias}"."${name}"`);

export function join(fragments: readonly Sql[], separator: string): Sql {
  if (fragments.length === 0) return raw('');
  return new Sql(['', ...fragments.slice(1).map(() => separator), ''], fragments);
}

/** Renders a fragment without values once, for fragments that are used often. */
export function flat(fragment: Sql): Sql {
  const { text, values } = fragment.render();
  return values.length === 0 ? new Sql([text], [], fragment.isComposed) : fragment;
}

/** Marks a fragment as composed by a client, such as its filter or order. */
export const composed = (fragment: Sql): Sql =>
  fragment === TRUE || fragment === FALSE
    ? fragment
    : new Sql(fragment.strings, fragment.values, true);

export const TRUE = raw('true');
export const FALSE = raw('false');

/**
 * The condition that a text is one of these. The server plans a comparison with a list anew each time,
 * since lists differ in length, so a single value is compared by itself.
 */
export const isOneOf = (of: Sql, values: readonly string[]): Sql =>
  values.length === 1 ? sql`${of} = ${values[0]}::text` : sql`${of} = any(${[...values]}::text[])`;

/** Conjunction without noise: drops `true`, collapses on `false`. */
export function and(...fragments: readonly Sql[]): Sql {
  const terms = fragments.filter((f) => f !== TRUE);
  if (terms.includes(FALSE)) return FALSE;
  if (terms.length === 0) return TRUE;
  return terms.length === 1 && terms[0] ? terms[0] : sql`(${join(terms, ' and ')})`;
}

/** Disjunction without noise: drops `false`, collapses on `true`. */
export function or(...fragments: readonly Sql[]): Sql {
  const terms = fragments.filter((f) => f !== FALSE);
  if (terms.includes(TRUE)) return TRUE;
  if (terms.length === 0) return FALSE;
  return terms.length === 1 && terms[0] ? terms[0] : sql`(${join(terms, ' or ')})`;
}
