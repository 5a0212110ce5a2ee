import type { Row } from '../../../src/base/row.js';

/*
 * The notation of schemas in test/rest/contract/:
 *   string  integer  number  boolean  object   types of JSON; `string/number` is either, `*` any
 *   string:date-time                           with a format
 *   string(1..100)  integer(0..)  [string](1..)  bounds of lengths, values and entries
 *   string?                                    may be null
 *   =Dial|Bind                                 one of these texts
 *   #service                                   the schema of that name
 *   [T]  <T>                                   a list, and a map with values of T
 *   {name*: T, other: T, third*}               members; those with a star are required, and one
 *                                              without a type is declared elsewhere
 *   A & B                                      everything that A and B have
 */

/** The schema that a text of the notation describes. */
export function schemaOf(text: string): Row {
  const reader = new Reader(text);
  const schema = reader.whole();
  reader.end();
  return schema;
}

const BOUNDS: Readonly<Record<string, readonly [least: string, most: string]>> = {
  string: ['minLength', 'maxLength'],
  array: ['minItems', 'maxItems'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
};

class Reader {
  #at = 0;

  constructor(private readonly text: string) {}

  whole(): Row {
    const parts = [this.part()];
    while (this.skip(' & ')) parts.push(this.part());
    const [only] = parts;
    return parts.length === 1 && only ? only : { allOf: parts };
  }

  end(): void {
    if (this.#at < this.text.length) throw this.fault();
  }

  private part(): Row {
    const core = this.bounded(this.core());
    return this.skip('?') ? { ...core, nullable: true } : core;
  }

  private core(): Row {
    if (this.skip('(')) return this.until(')', this.whole());
    if (this.skip('#')) return { $ref: this.take(/[\w-]+/y) };
    if (this.skip('=')) return { type: 'string', enum: this.take(/[\w.|-]+/y).split('|') };
    if (this.skip('[')) return this.until(']', { type: 'array', items: this.whole() });
    if (this.skip('<'))
      return this.until('>', { type: 'object', additionalProperties: this.whole() });
    if (this.skip('{')) return this.until('}', this.members());
    if (this.skip('*')) return {};
    const types = this.take(/[a-z/]+/y).split('/');
    const format = this.skip(':') ? { format: this.take(/[\w-]+/y) } : {};
    return { type: types.length === 1 ? types[0] : types, ...format };
  }

  private bounded(schema: Row): Row {
    const keywords = BOUNDS[String(schema.type)];
    if (!keywords || !this.skip('(')) return schema;
    const [least, most] = this.take(/-?\d*\.\.-?\d*/y).split('..');
    return this.until(')', {
      ...schema,
      ...(least ? { [keywords[0]]: Number(least) } : {}),
      ...(most ? { [keywords[1]]: Number(most) } : {}),
    });
  }

  private members(): Row {
    const properties: Row = {};
    const required: string[] = [];
    if (this.text[this.#at] === '}') return { type: 'object', properties };
    do {
      const name = this.take(/[^\s:*,}]+/y);
      if (this.skip('*')) required.push(name);
      if (this.skip(': ')) properties[name] = this.whole();
    } while (this.skip(', '));
    return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  }

  private until(end: string, schema: Row): Row {
    if (!this.skip(end)) throw this.fault();
    return schema;
  }

  private skip(text: string): boolean {
    const isNext = this.text.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken] = pattern.exec(this.text) ?? [];
    if (taken === undefined) throw this.fault();
    this.#at += taken.length;
    return taken;
  }

  private fault(): Error {
    return new Error(`the notation has a fault at ${String(this.#at)}: ${this.text}`);
  }
}
