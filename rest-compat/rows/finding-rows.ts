import { FINDING_KINDS } from '../../src/analysis/index.js';
import { ADMIN } from '../../src/kernel/declare/permissions.js';
import { isObject } from '../../src/base/row.js';
import { AT, listOf, oneOf, shared } from './analysis-shapes.js';
import { isText, isTime, needed, optional } from '../engine/body-members.js';
import { byId, objectOf, STRING, TIME } from './hand-shapes.js';
import {
  PAGE_PARAMETERS,
  pageVariables,
  queryParameter,
  queryText,
} from '../engine/list-parameters.js';
import type { Connection, Parameter, RestRequest, RestRow, Schema } from '../engine/rest-row.js';

/** Findings, and mutes of those that are accepted. */

export const findingRows = (): RestRow[] => [findingsRow, muteRow, unmuteRow];

export const FINDING = `{ id: findingId kind severity text entities { kind id: entityId name } entityCount
  side about similarTo gained lost changes { operation type id: entityId input gained lost }
  mute { reason mutedUntil updatedAt mutedById mutedBy { id name } } }`;

const COUNT: Schema = { type: 'integer' };
const ANY_TEXT: Schema = { type: 'string', nullable: true };

const MUTE: Schema = {
  ...objectOf({
    reason: STRING,
    mutedUntil: { ...TIME, nullable: true },
    updatedAt: TIME,
    mutedById: ANY_TEXT,
    mutedBy: { ...objectOf({ id: STRING, name: STRING }), nullable: true },
  }),
  nullable: true,
};

export const FINDING_SCHEMA: Schema = objectOf({
  id: { ...STRING, description: 'The same as long as the fact is the same.' },
  kind: STRING,
  severity: STRING,
  text: STRING,
  entities: listOf(objectOf({ kind: STRING, id: STRING, name: ANY_TEXT })),
  entityCount: COUNT,
  side: ANY_TEXT,
  about: ANY_TEXT,
  similarTo: ANY_TEXT,
  gained: COUNT,
  lost: COUNT,
  changes: listOf({ type: 'object' }),
  mute: MUTE,
});

interface FindingRow {
  readonly id: string;
  readonly kind: string;
  readonly severity: string;
  readonly text: string;
  readonly entities: readonly {
    readonly kind: string;
    readonly id: string;
    readonly name: string | null;
  }[];
}

const KINDS: Parameter = {
  name: 'kinds',
  in: 'query',
  description: 'Only of these kinds.',
  schema: listOf({ type: 'string', enum: [...FINDING_KINDS] }),
};

const findingsRow: RestRow = {
  ...shared,
  path: '/findings',
  operationId: 'listFindings',
  summary:
    'What is probably not meant in the network. All of it as CSV or JSON lines with `Accept: text/csv` or `application/x-ndjson`.',
  document: `query ($kinds: [FindingKind!], $at: String, $includeMuted: Boolean, $limit: Int, $offset: Int) {
    result: findings(kinds: $kinds, at: $at, includeMuted: $includeMuted, limit: $limit, offset: $offset) {
      nodes ${FINDING} pagination { limit offset totalCount } } }`,
  variables: (request) => ({
    ...pageVariables(request),
    ...kindsOf(request),
    at: queryText(request, 'at'),
    includeMuted: includesMuted(request),
  }),
  parameters: [
    ...PAGE_PARAMETERS,
    KINDS,
    AT,
    queryParameter('includeMuted', 'boolean', 'The muted ones, too; default: false.'),
  ],
  errors: [400, 401, 410],
  answer: {
    kind: 'list',
    fields: [],
    page: (page: Connection) => page,
    view: (finding: FindingRow) => finding,
    schema: FINDING_SCHEMA,
    columns: [
      ['kind', ({ kind }: FindingRow) => kind],
      ['severity', ({ severity }: FindingRow) => severity],
      ['entityKind', ({ entities }: FindingRow) => entities[0]?.kind ?? ''],
      ['entityId', ({ entities }: FindingRow) => entities[0]?.id ?? ''],
      ['entity', ({ entities }: FindingRow) => entities[0]?.name ?? ''],
      ['text', ({ text }: FindingRow) => text],
      ['id', ({ id }: FindingRow) => id],
    ],
  },
};

const action = {
  ...shared,
  method: 'POST',
  permission: ADMIN,
  answer: { kind: 'empty' },
} as const;

const muteRow: RestRow = {
  ...action,
  path: '/findings/{id}/mute',
  operationId: 'muteFinding',
  summary: 'Leaves a finding out of lists and counts.',
  document:
    'mutation ($id: ID!, $reason: String!, $until: DateTime) { result: muteFinding(id: $id, reason: $reason, until: $until) { id } }',
  variables: (request) => ({
    ...byId(request),
    reason: needed(request.body, 'reason', 'string', isText),
    until: optional(isObject(request.body) ? request.body : {}, 'until', 'date-time', isTime),
  }),
  body: {
    kind: 'json',
    required: true,
    schema: objectOf({ reason: STRING, until: { ...TIME, nullable: true } }, ['reason']),
  },
  errors: [400, 401, 404],
};

const unmuteRow: RestRow = {
  ...action,
  path: '/findings/{id}/unmute',
  operationId: 'unmuteFinding',
  summary: 'Brings a muted finding back into lists and counts.',
  document: 'mutation ($id: ID!) { result: unmuteFinding(id: $id) }',
  variables: byId,
  errors: [401, 404],
};

function kindsOf({ query }: RestRequest): { readonly kinds?: readonly string[] } {
  const kinds = query.get('kinds')?.flatMap((text) => text.split(',')) ?? [];
  for (const kind of kinds) oneOf(FINDING_KINDS, 'kinds', kind);
  return kinds.length === 0 ? {} : { kinds };
}

function includesMuted(request: RestRequest): boolean {
  const text = queryText(request, 'includeMuted') ?? 'false';
  oneOf(['true', 'false'], 'includeMuted', text);
  return text === 'true';
}
