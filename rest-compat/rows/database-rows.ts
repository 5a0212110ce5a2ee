import { ADMIN } from '../../src/kernel/declare/permissions.js';
import { asItIs, objectOf, STRING, TIME } from './hand-shapes.js';
import type { RestRow, Schema } from '../engine/rest-row.js';

/** What looks after the data as a whole. */

const BOOLEAN: Schema = { type: 'boolean' };
const orNull = (schema: Schema): Schema => ({ ...schema, nullable: true });

const RESULTS: Schema = objectOf({
  startTime: orNull(TIME),
  endTime: orNull(TIME),
  error: orNull(STRING),
  fixingErrors: BOOLEAN,
  inProgress: BOOLEAN,
  tooManyErrors: BOOLEAN,
  results: { type: 'array', items: objectOf({ description: STRING, fixed: BOOLEAN }) },
});

type Named = Pick<RestRow, 'path' | 'operationId' | 'summary' | 'document' | 'status' | 'answer'>;

const row = (method: 'GET' | 'POST', named: Named): RestRow => ({
  on: ['management'],
  method,
  tag: 'database',
  permission: ADMIN,
  variables: () => ({}),
  errors: [401],
  ...named,
});

export function databaseRows(): RestRow[] {
  return [
    row('POST', {
      path: '/database/check-data-integrity',
      operationId: 'checkDataIntegrity',
      summary: 'Begins to look for what is wrong with the data; one run at a time.',
      document: 'mutation { result: checkDataIntegrity { inProgress } }',
      status: 202,
      answer: { kind: 'empty' },
    }),
    row('POST', {
      path: '/database/fix-data-integrity',
      operationId: 'fixDataIntegrity',
      summary: 'The same, and puts right what is safe to put right.',
      document: 'mutation { result: fixDataIntegrity { inProgress } }',
      status: 202,
      answer: { kind: 'empty' },
    }),
    row('POST', {
      path: '/database/snapshot',
      operationId: 'createDatabaseSnapshot',
      summary: 'Writes a snapshot into the data directory; at most one a minute.',
      document: 'mutation { result: createSnapshot { name } }',
      status: 200,
      answer: { kind: 'empty' },
    }),
    row('GET', {
      path: '/database/data-integrity-results',
      operationId: 'dataIntegrityResults',
      summary: 'How far the check is, and what it found.',
      document:
        'query { result: dataIntegrityResults { startTime endTime error fixingErrors inProgress tooManyErrors results { description fixed } } }',
      status: 200,
      answer: { kind: 'data', view: asItIs, schema: RESULTS },
    }),
  ];
}
