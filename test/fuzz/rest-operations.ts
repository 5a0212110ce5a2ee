import { readFileSync } from 'node:fs';
import { shapeOfSchema, type Shape } from './shapes.js';

type Json = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Json;
}

interface Declared {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { schema: Json }>>;
  };
  readonly responses: Readonly<Record<string, { content?: Record<string, { schema: Json }> }>>;
}

interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Declared>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

/** An operation of a REST interface as its OpenAPI document declares it. */
export interface RestOperation {
  readonly door: keyof typeof DOCUMENTS;
  readonly operationId: string;
  readonly method: string;
  /** From the root of the server, with `{id}` segments. */
  readonly path: string;
  readonly parameters: readonly (Pick<Parameter, 'name' | 'in'> & {
    readonly shape: Shape;
    readonly isRequired: boolean;
  })[];
  readonly bodies: readonly { readonly mediaType: string; readonly shape: Shape }[];
  readonly needsBody: boolean;
  /** Names of the members of what a list holds. */
  readonly listed: readonly string[];
}

const DOCUMENTS = {
  client: 'edge-client.json',
  management: 'edge-management.json',
  fabric: 'fabric.json',
} as const;

/** Every operation of all documents, as they are emitted. */
export const restOperations = (): RestOperation[] =>
  (['client', 'management', 'fabric'] as const).flatMap((door) => {
    const file = new URL(`../../schema/${DOCUMENTS[door]}`, import.meta.url);
    const document = JSON.parse(readFileSync(file, 'utf8')) as OpenApi;
    const [{ url } = { url: '' }] = document.servers;
    return Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, declared]) => ({
        ...operationOf(declared, document.components.schemas),
        ...{ door, method: method.toUpperCase(), path: url + path },
      })),
    );
  });

function operationOf(
  { operationId, parameters = [], requestBody, responses }: Declared,
  schemas: Readonly<Record<string, Json>>,
): Omit<RestOperation, 'door' | 'method' | 'path'> {
  return {
    operationId,
    parameters: parameters.map((p) => ({
      name: p.name,
      in: p.in,
      shape: shapeOfSchema(p.schema, schemas),
      isRequired: p.required === true,
    })),
    needsBody: requestBody?.required === true,
    bodies: Object.entries(requestBody?.content ?? {}).map(([mediaType, { schema }]) => ({
      mediaType,
      shape: shapeOfSchema(schema, schemas, operationId),
    })),
    listed: listedBy(responses, schemas),
  };
}

function listedBy(
  responses: Declared['responses'],
  schemas: Readonly<Record<string, Json>>,
): string[] {
  const success = responses['200']?.content?.['application/json'];
  const shape = success && shapeOfSchema(success.schema, schemas);
  const data =
    shape?.kind === 'object' ? shape.members().find(({ name }) => name === 'data') : undefined;
  if (data?.shape.kind !== 'list' || data.shape.of.kind !== 'object') return [];
  return data.shape.of.members().map(({ name }) => name);
}
