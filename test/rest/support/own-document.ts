import { openApiDocument, type RestRow } from '../../../rest-compat/index.js';
import { SchemaSet } from './json-schema.js';

type Interface = RestRow['on'][number];

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly responses: Record<string, Response> }>>
  >;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly responses: Record<string, Response>;
  };
}

const tail = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** Our own OpenAPI documents, for holding answers against them. */
export class OwnDocument {
  readonly #document: Document;
  readonly #schemas: SchemaSet;

  constructor(rows: readonly RestRow[], on: Interface) {
    this.#document = openApiDocument(rows, on, 'v0.0.0') as Document;
    this.#schemas = new SchemaSet(this.#document.components.schemas, tail);
  }

  statusesOf(row: RestRow): number[] {
    return Object.keys(this.operation(row)).map(Number);
  }

  /** What the document has against an answer. */
  faults(row: RestRow, status: number, contentType: string, body: unknown): string[] {
    const declared = this.operation(row)[String(status)];
    if (!declared) return [`status ${String(status)} is not declared`];
    const response =
      declared.$ref === undefined
        ? declared
        : this.#document.components.responses[tail(declared.$ref)];
    const content = response?.content?.[contentType];
    if (!content) return [`content type ${contentType} is not declared`];
    return this.#schemas.faults(content.schema, body);
  }

  private operation(row: RestRow): Record<string, Response> {
    return this.#document.paths[row.path]?.[row.method.toLowerCase()]?.responses ?? {};
  }
}
