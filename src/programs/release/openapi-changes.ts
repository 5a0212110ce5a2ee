import { schemaChanges, type Direction, type JsonSchema } from './schema-changes.js';

/*
 * Own code, because `api-smart-diff` 1.0.6 calls changes harmless that break our clients: another
 * type or a null in an answer, and a member that a request no longer has. `openapi-diff` 0.24.1
 * needs 67 more packages, among them an HTTP client. `@pb33f/openapi-changes` downloads a program
 * after its installation; `oasdiff` is a program in Go, of which npm has the name alone.
 */

/** The parts of an OpenAPI 3.0 document that our documents use. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, JsonSchema>>;
    readonly responses?: Readonly<Record<string, Response>>;
  };
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content };
  readonly responses?: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
}

interface Response {
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

/** Gives the changes that may break clients written for `before`, one sentence each. */
export function openApiChanges(before: OpenApi, after: OpenApi): string[] {
  return new Comparison(before, after).changes();
}

class Comparison {
  readonly #changes = new Set<string>();
  readonly #schemas;

  constructor(
    private readonly before: OpenApi,
    private readonly after: OpenApi,
  ) {
    this.#schemas = schemaChanges(
      before.components?.schemas ?? {},
      after.components?.schemas ?? {},
      (change) => this.#changes.add(change),
    );
  }

  changes(): string[] {
    for (const [path, operations] of Object.entries(this.before.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const place = `${method.toUpperCase()} ${path}`;
        const now = this.after.paths[path]?.[method];
        if (now) this.operation(place, operation, now);
        else this.#changes.add(`${place} is gone`);
      }
    }
    return [...this.#changes];
  }

  private operation(place: string, before: Operation, after: Operation): void {
    this.parameters(place, before.parameters ?? [], after.parameters ?? []);
    this.body(place, before.requestBody, after.requestBody);
    for (const [status, response] of Object.entries(before.responses ?? {})) {
      const now = after.responses?.[status];
      if (!now) this.#changes.add(`${place} no longer answers with ${status}`);
      else {
        const [old, current] = [resolve(this.before, response), resolve(this.after, now)];
        this.content(`${place} ${status}`, 'given', old.content, current.content);
      }
    }
  }

  private parameters(
    place: string,
    before: readonly Parameter[],
    after: readonly Parameter[],
  ): void {
    const same = (a: Parameter) => (b: Parameter) => a.name === b.name && a.in === b.in;
    for (const parameter of before) {
      const now = after.find(same(parameter));
      if (!now) this.#changes.add(`${place} no longer takes ${parameter.name}`);
      else {
        const at = `${place} ${parameter.name}`;
        this.#schemas.compare(at, 'sent', parameter.schema ?? {}, now.schema ?? {});
      }
    }
    for (const parameter of after.filter(({ required }) => required === true)) {
      if (before.find(same(parameter))?.required !== true) {
        this.#changes.add(`${place} requires ${parameter.name}`);
      }
    }
  }

  private body(
    place: string,
    before: Operation['requestBody'],
    after: Operation['requestBody'],
  ): void {
    if (after?.required === true && before?.required !== true) {
      this.#changes.add(`${place} requires a body`);
    }
    this.content(place, 'sent', before?.content, after?.content);
  }

  private content(
    place: string,
    direction: Direction,
    before: Content = {},
    after: Content = {},
  ): void {
    for (const [type, { schema }] of Object.entries(before)) {
      const now = after[type];
      const verb = direction === 'sent' ? 'takes' : 'gives';
      if (!now) this.#changes.add(`${place} no longer ${verb} ${type}`);
      else this.#schemas.compare(place, direction, schema ?? {}, now.schema ?? {});
    }
  }
}

function resolve(
  { components }: OpenApi,
  response: Response | { readonly $ref: string },
): Response {
  if (!('$ref' in response)) return response;
  return components?.responses?.[response.$ref.split('/').at(-1) ?? ''] ?? {};
}
