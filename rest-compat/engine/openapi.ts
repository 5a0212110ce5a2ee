import { EXPORTS } from './export-lines.js';
import { JSON_TYPE } from './reply-headers.js';
import type { Body, Interface, RestRow, Schema } from './rest-row.js';
import { BASE_PATHS } from '../../src/base/interface-paths.js';
import { inputSchema, ref, SHARED_SCHEMAS } from './openapi-schema.js';

/** Statuses of all operations. */
export const COMMON_STATUSES: readonly number[] = [405, 406, 413, 415, 429, 500, 503];

const INFORMATION: Readonly<Record<Interface, { title: string; description: string }>> = {
  client: {
    title: 'Overgraph edge client',
    description: 'The interface for identities: login, services and sessions.',
  },
  management: {
    title: 'Overgraph edge management',
    description: 'The interface for administrators: everything that defines the network.',
  },
  fabric: {
    title: 'Overgraph fabric',
    description: 'The interface for operators: routers, links, circuits and terminators.',
  },
};

/** The OpenAPI 3.0 document of one interface, from its rows. */
export function openApiDocument(rows: readonly RestRow[], on: Interface, version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  const schemas = new NamedSchemas();
  for (const row of rows.filter((r) => r.on.includes(on))) {
    (paths[row.path] ??= {})[row.method.toLowerCase()] = operation(row, schemas);
  }
  return {
    openapi: '3.0.3',
    info: {
      ...INFORMATION[on],
      version,
    },
    servers: [{ url: BASE_PATHS[on] }],
    paths: sorted(paths),
    components: {
      schemas: { ...SHARED_SCHEMAS, ...ENVELOPES, ...schemas.all() },
      responses: { Error: ERROR_RESPONSE },
      securitySchemes: {
        ztSession: { type: 'apiKey', in: 'header', name: 'zt-session' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

const sorted = <T>(members: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Collects schemas with a title, so that each is declared once. */
class NamedSchemas {
  readonly #schemas = new Map<string, Schema>();

  refer(schema: Schema): Schema {
    const { title, items } = schema;
    if (typeof title !== 'string') {
      return items === undefined ? schema : { ...schema, items: this.refer(items as Schema) };
    }
    const existing = this.#schemas.get(title) ?? SHARED_SCHEMAS[title];
    if (existing && JSON.stringify(existing) !== JSON.stringify(schema)) {
      throw new Error(`two different schemas are called ${title}`);
    }
    this.#schemas.set(title, schema);
    return ref(title);
  }

  all(): Record<string, Schema> {
    return sorted(Object.fromEntries(this.#schemas));
  }
}

function operation(row: RestRow, schemas: NamedSchemas): object {
  const path = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const parameters = [...path, ...(row.parameters ?? [])];
  const errors = [...row.errors, ...COMMON_STATUSES].sort((a, b) => a - b);
  return {
    operationId: row.operationId,
    tags: [row.tag],
    summary: row.summary,
    ...(row.permission.need === 'nothing'
      ? { security: [] }
      : { security: [{ ztSession: [] }, { bearer: [] }] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(row.body ? { requestBody: requestBody(row.body, schemas) } : {}),
    responses: {
      [row.status]: successResponse(row, schemas),
      ...Object.fromEntries(errors.map((s) => [s, { $ref: '#/components/responses/Error' }])),
    },
  };
}

function requestBody(body: Body, schemas: NamedSchemas): object {
  if (body.kind === 'text') {
    return {
      description: body.description,
      content: { 'text/plain': { schema: { type: 'string' } } },
    };
  }
  if (body.kind === 'any') {
    return {
      description: body.description,
      content: {
        'application/json': { schema: body.schema },
        'text/plain': { schema: { type: 'string' } },
        'application/x-pem-file': { schema: { type: 'string' } },
      },
    };
  }
  const schema = body.kind === 'json' ? body.schema : inputSchema(body.resource, body.verb);
  return {
    required: body.kind === 'json' ? body.required : true,
    content: { 'application/json': { schema: schemas.refer(schema) } },
  };
}

function successResponse(row: RestRow, schemas: NamedSchemas): object {
  const { answer } = row;
  if (answer.kind === 'raw') {
    const types = [answer.contentType, ...(answer.alternative ? [answer.alternative] : [])];
    return {
      description: row.summary,
      content: Object.fromEntries(
        types.map((type) => [type, { schema: schemas.refer(answer.schema ?? rawSchema(type)) }]),
      ),
    };
  }
  const lines = answer.kind === 'list' && answer.columns ? EXPORTS : [];
  return {
    description: row.summary,
    content: {
      'application/json': { schema: successSchema(row, schemas) },
      ...Object.fromEntries(lines.map((type) => [type, { schema: { type: 'string' } }])),
    },
  };
}

/** The schema of a raw answer that declares none. */
const rawSchema = (type: string): Schema => {
  if (type === JSON_TYPE) return { type: 'object' };
  return { type: 'string', ...(type.startsWith('image/') ? { format: 'binary' } : {}) };
};

/** The schema of a successful answer with its envelope. */
function successSchema({ answer }: RestRow, schemas: NamedSchemas): Schema {
  const envelope = (data: Schema, meta: Schema): Schema => ({
    type: 'object',
    required: ['data', 'meta'],
    properties: { data, meta },
  });
  switch (answer.kind) {
    case 'data':
      return envelope(schemas.refer(answer.schema), ref('Meta'));
    case 'list':
      return envelope({ type: 'array', items: schemas.refer(answer.schema) }, ref('ListMeta'));
    case 'created':
      return envelope(ref('Created'), ref('Meta'));
    default:
      return envelope({ type: 'object' }, ref('Meta'));
  }
}

const VERSIONS = { apiEnrollmentVersion: { type: 'string' }, apiVersion: { type: 'string' } };

const ENVELOPES: Readonly<Record<string, Schema>> = {
  Meta: { type: 'object', required: Object.keys(VERSIONS), properties: VERSIONS },
  ListMeta: {
    type: 'object',
    required: [...Object.keys(VERSIONS), 'filterableFields', 'pagination'],
    properties: {
      ...VERSIONS,
      filterableFields: { type: 'array', items: { type: 'string' } },
      pagination: {
        type: 'object',
        required: ['limit', 'offset', 'totalCount'],
        properties: {
          limit: { type: 'integer', format: 'int64' },
          offset: { type: 'integer' },
          totalCount: { type: 'integer' },
        },
      },
    },
  },
  Created: {
    type: 'object',
    required: ['_links', 'id'],
    properties: { _links: ref('Links'), id: { type: 'string' } },
  },
  Error: {
    type: 'object',
    required: ['error', 'meta'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'requestId'],
        properties: {
          code: { type: 'string' },
          message: { type: 'string' },
          requestId: { type: 'string' },
          cause: {
            type: 'object',
            description: 'A field error, or a nested error.',
            properties: {
              field: { type: 'string' },
              reason: { type: 'string' },
              value: { type: 'string' },
              code: { type: 'string' },
              message: { type: 'string' },
            },
          },
        },
      },
      meta: ref('Meta'),
    },
  },
};

const ERROR_RESPONSE = {
  description: 'The error, as a code, a message and a cause.',
  content: { 'application/json': { schema: ref('Error') } },
};
