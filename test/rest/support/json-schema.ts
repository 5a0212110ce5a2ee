import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { isObject, type Row } from '../../../src/base/row.js';

/** A validator for schemas in the manner of OpenAPI: `nullable`, and references to named schemas. */
export class SchemaSet {
  readonly #ajv = new Ajv({ strict: false, allErrors: true });
  readonly #compiled = new Map<unknown, ValidateFunction>();

  /** `named` are what references lead to; `pointer` turns a reference into the name of one. */
  constructor(
    named: Readonly<Record<string, unknown>>,
    private readonly nameOf: (reference: string) => string,
  ) {
    formats.default(this.#ajv);
    for (const [name, schema] of Object.entries(named)) {
      this.#ajv.addSchema(this.standard(schema), keyOf(name));
    }
  }

  /** What is wrong with a value, one line per fault. */
  faults(schema: object, value: unknown): string[] {
    let validate = this.#compiled.get(schema);
    if (!validate) {
      validate = this.#ajv.compile(this.standard(schema));
      this.#compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  }

  private standard(schema: unknown): Row {
    if (!isObject(schema)) return {};
    const { nullable, $ref, ...rest } = schema;
    const plain = typeof $ref === 'string' ? { $ref: keyOf(this.nameOf($ref)) } : this.inner(rest);
    return nullable === true ? { anyOf: [{ type: 'null' }, plain] } : plain;
  }

  private inner(schema: Row): Row {
    const copy: Row = { ...schema };
    for (const keyword of ['items', 'additionalProperties']) {
      if (isObject(copy[keyword])) copy[keyword] = this.standard(copy[keyword]);
    }
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const parts = copy[keyword];
      if (Array.isArray(parts)) copy[keyword] = parts.map((part) => this.standard(part));
    }
    if (isObject(copy.properties)) {
      copy.properties = Object.fromEntries(
        Object.entries(copy.properties).map(([name, member]) => [name, this.standard(member)]),
      );
    }
    return copy;
  }
}

const keyOf = (name: string): string => `schema:${name}`;
