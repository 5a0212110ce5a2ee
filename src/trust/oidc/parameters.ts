/**
 * The parameters of a request, by name: those of the body before those of the address, since clients send
 * them in either. Further values of a name, and unknown names, are ignored, as RFC 6749 3.1 asks for
 * unknown ones; a client of the field sends `state` in a request for tokens by mistake.
 */
export class Parameters {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(...sources: readonly Iterable<readonly [string, string]>[]) {
    const values = new Map<string, string[]>();
    for (const source of sources) {
      for (const [name, value] of source) {
        // A parameter without a value counts as omitted (RFC 6749 3.1).
        if (value === '') continue;
        const earlier = values.get(name);
        if (earlier) earlier.push(value);
        else values.set(name, [value]);
      }
    }
    this.#values = values;
  }

  /** These parameters before those of another source. */
  before(others: Parameters): Parameters {
    return new Parameters(this.entries(), others.entries());
  }

  private *entries(): Generator<readonly [string, string]> {
    for (const [name, values] of this.#values) for (const value of values) yield [name, value];
  }

  get(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  /** The values whose names begin with a prefix, by the rest of their names: `sdkVersion` is `Version` below `sdk`. */
  below(prefix: string): Readonly<Record<string, string>> {
    const values = [...this.#values].filter(([name]) => name.startsWith(prefix));
    return Object.fromEntries(
      values.map(([name, [value = '']]) => [name.slice(prefix.length), value]),
    );
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }
}
