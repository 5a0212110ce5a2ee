import { may } from '../../src/kernel/declare/permissions.js';
import { isObject } from '../../src/base/row.js';
import { isBoolean, isText, optional } from '../engine/body-members.js';
import { asItIs, byId, objectOf, STRING, TIME } from './hand-shapes.js';
import type { RestRow, Schema } from '../engine/rest-row.js';

const BOOLEAN: Schema = { type: 'boolean' };

const SPEC: Schema = objectOf(
  {
    enabled: BOOLEAN,
    traceId: STRING,
    duration: STRING,
    channels: { type: 'array', items: STRING },
  },
  [],
);

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/** Selective logging for one identity. */
export const traceRows = (): RestRow[] => [
  {
    on: ['management'],
    method: 'PUT',
    path: '/identities/{id}/trace',
    operationId: 'updateIdentityTracing',
    tag: 'identities',
    summary: 'Begins or ends the trace of an identity.',
    permission: may('identity', 'update'),
    document:
      'mutation ($id: ID!, $input: TraceInput!) { result: traceIdentity(id: $id, input: $input) { enabled traceId until } }',
    variables: (request) => ({ ...byId(request), input: traceInput(request.body) }),
    body: { kind: 'json', required: true, schema: SPEC },
    status: 200,
    errors: [400, 401, 404],
    answer: {
      kind: 'data',
      view: asItIs,
      schema: objectOf({ enabled: BOOLEAN, traceId: STRING, until: TIME }),
    },
  },
];

interface TraceInput {
  readonly enabled: boolean;
  readonly traceId: string | undefined;
  readonly duration: string | undefined;
  readonly channels: readonly string[] | undefined;
}

/** All members are optional; without `enabled` it ends. */
function traceInput(body: unknown): TraceInput {
  const spec = isObject(body) ? body : {};
  return {
    enabled: optional(spec, 'enabled', 'boolean', isBoolean) ?? false,
    traceId: optional(spec, 'traceId', 'string', isText),
    duration: optional(spec, 'duration', 'string', isText),
    channels: optional(spec, 'channels', 'array', isTexts),
  };
}
