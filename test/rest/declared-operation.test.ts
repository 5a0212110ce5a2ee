import { describe, expect, test } from '@jest/globals';
import {
  Arg,
  Field,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql';
import { declaredRows } from '../../rest-compat/declared/declared-rows.js';
import { faultsOfRows, openApiDocument, type RestRow } from '../../rest-compat/index.js';
import type { RestRequest } from '../../rest-compat/engine/rest-row.js';
import { DateTime } from '../../src/base/date-time.js';
import { ApiError } from '../../src/base/errors.js';
import { buildGraph, operations } from '../../src/graph/index.js';
import { may } from '../../src/kernel/declare/permissions.js';
import { Needs } from '../../src/kernel/graph/needs.js';
import { Rest } from '../../src/kernel/graph/rest-operation.js';
import { catalog } from '../../src/resources/index.js';

/* Operations that the program does not know follow from the declarations of their fields alone. */

@InputType({ description: 'How to log out.' })
class LogOutInput {
  @Field(() => Boolean, { defaultValue: false, description: 'Also ends sessions for services.' })
  everywhere!: boolean;

  @Field(() => [String], { description: 'Why.' })
  reasons!: string[];
}

@ObjectType({ description: 'A session that has ended.', simpleResolvers: true })
class LoggedOutSession {
  @Field(() => ID, { description: 'Its id.' })
  id!: string;

  @Field(() => Int, { nullable: true, description: 'How many seconds it lasted.' })
  seconds!: number | null;
}

const IDENTITY = { description: 'Id of the identity.' };

@Resolver()
class LogOutResolver {
  @Rest({ method: 'POST', path: '/identities/{id}/log-out' })
  @Needs(may('identity', 'update'))
  @Mutation(() => [LoggedOutSession], { description: 'Ends all API sessions of an identity.' })
  logOut(
    @Arg('id', () => ID, IDENTITY) id: string,
    @Arg('input', () => LogOutInput, { description: 'How.' }) input: LogOutInput,
  ): LoggedOutSession[] {
    return [{ id, seconds: input.reasons.length }];
  }

  @Rest({
    method: 'POST',
    path: '/identities/{id}/log-out-in',
    arguments: { ms: { member: 'delay' } },
  })
  @Needs(may('identity', 'update'))
  @Mutation(() => ID, { description: 'Ends them later.' })
  logOutIn(
    @Arg('id', () => ID, IDENTITY) id: string,
    @Arg('ms', () => Int, { description: 'After so many milliseconds.' }) ms: number,
  ): string {
    return `${id} ${String(ms)}`;
  }

  @Rest({ method: 'GET', path: '/ended-sessions', errors: [410] })
  @Needs(may('ops', 'read'))
  @Query(() => [LoggedOutSession], { description: 'Sessions that ended.' })
  endedSessions(
    @Arg('since', () => String, { description: 'A time.' }) since: string,
    @Arg('isLong', () => Boolean, { nullable: true, description: 'Long ones alone.' })
    isLong?: boolean,
    @Arg('least', () => Int, { nullable: true, description: 'Seconds, at least.' }) least?: number,
    @Arg('until', () => DateTime, { nullable: true, description: 'A time.' }) until?: Date,
  ): LoggedOutSession[] {
    return isLong === true || until ? [] : [{ id: since, seconds: least ?? null }];
  }
}

const schema = await buildGraph(catalog, [...operations, LogOutResolver]);
const rows = declaredRows(catalog, schema);

function rowOf(operationId: string): RestRow {
  const row = rows.find((one) => one.operationId === operationId);
  if (!row) throw new Error(`${operationId} has no row`);
  return row;
}

const requestOf = (given: Partial<RestRequest>): RestRequest => ({
  path: { id: 'i' },
  query: new Map(),
  headers: {},
  body: undefined,
  ...given,
});

function faultOf(operationId: string, given: Partial<RestRequest>): unknown {
  try {
    return rowOf(operationId).variables(requestOf(given));
  } catch (error) {
    if (!(error instanceof ApiError) || error.detail?.kind !== 'field') throw error;
    return [error.detail.field, error.detail.reason];
  }
}

describe('an operation with a body', () => {
  test('is on the management interface under the names of its field', () => {
    expect(rowOf('logOut')).toMatchObject({
      on: ['management'],
      method: 'POST',
      path: '/identities/{id}/log-out',
      tag: 'identities',
      summary: 'Ends all API sessions of an identity.',
      permission: may('identity', 'update'),
      status: 200,
      errors: [400, 401, 404],
    });
  });

  test('asks the graph for all members of its result', () => {
    expect(rowOf('logOut').document.replace(/\s+/g, ' ')).toBe(
      'mutation ($id: ID!, $input: LogOutInput!) { result: logOut(id: $id, input: $input) { id seconds } }',
    );
    expect(faultsOfRows(rows, schema)).toStrictEqual([]);
  });

  test('describes the body and the answer', () => {
    const { paths } = openApiDocument(rows, 'management', 'v0') as {
      paths: Record<string, Record<string, unknown>>;
    };
    expect(paths['/identities/{id}/log-out']?.post).toMatchObject({
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['reasons'],
              properties: {
                everywhere: { type: 'boolean', nullable: true },
                reasons: { type: 'array', items: { type: 'string' }, description: 'Why.' },
              },
            },
          },
        },
      },
      responses: {
        200: {
          content: {
            'application/json': {
              schema: {
                properties: {
                  data: {
                    type: 'array',
                    items: {
                      required: ['id', 'seconds'],
                      properties: {
                        id: { type: 'string' },
                        seconds: { type: 'integer', nullable: true },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    });
  });

  test.each([
    [{ reasons: ['r'] }, { id: 'i', input: { reasons: ['r'] } }],
    [
      { reasons: [], everywhere: true, later: 1 },
      { id: 'i', input: { everywhere: true, reasons: [] } },
    ],
    [
      { reasons: [], everywhere: null },
      { id: 'i', input: { reasons: [] } },
    ],
    [{}, ['reasons', 'reasons in body is required']],
    [{ reasons: null }, ['reasons', 'reasons in body is required']],
    ['text', ['reasons', 'reasons in body is required']],
    [['r'], ['reasons', 'reasons in body is required']],
    [{ reasons: 'r' }, ['reasons', 'reasons in body must be of type array']],
    [{ reasons: ['r', 1] }, ['reasons.1', 'reasons.1 in body must be of type string']],
    [{ reasons: [], everywhere: 1 }, ['everywhere', 'everywhere in body must be of type boolean']],
  ])('reads the body %j', (body, expected) => {
    expect(faultOf('logOut', { body })).toEqual(expected);
  });

  test.each([
    [2_147_483_647, { id: 'i', ms: 2_147_483_647 }],
    [2_147_483_648, ['delay', 'delay in body should be less than or equal to 2147483647']],
    [-2_147_483_649, ['delay', 'delay in body should be greater than or equal to -2147483648']],
    [Infinity, ['delay', 'delay in body must be of type integer']],
    [0.5, ['delay', 'delay in body must be of type integer']],
  ])('takes integers of 32 bits: %p', (delay, expected) => {
    expect(faultOf('logOutIn', { body: { delay } })).toEqual(expected);
  });

  test('reads a member under the name that clients know', () => {
    expect(faultOf('logOutIn', { body: { delay: 5 } })).toEqual({ id: 'i', ms: 5 });
    expect(faultOf('logOutIn', { body: { ms: 5 } })).toEqual([
      'delay',
      'delay in body is required',
    ]);
    expect(rowOf('logOutIn').answer).toEqual({ kind: 'empty' });
  });
});

describe('an operation with a query', () => {
  const asked = (text: string): Partial<RestRequest> => {
    const query = new Map<string, string[]>();
    for (const [name, value] of new URLSearchParams(text)) {
      query.set(name, [...(query.get(name) ?? []), value]);
    }
    return { query };
  };

  test('has parameters, the required ones first', () => {
    expect(rowOf('endedSessions').parameters).toEqual([
      {
        name: 'since',
        in: 'query',
        description: 'A time.',
        required: true,
        schema: { type: 'string' },
      },
      { name: 'isLong', in: 'query', description: 'Long ones alone.', schema: { type: 'boolean' } },
      {
        name: 'least',
        in: 'query',
        description: 'Seconds, at least.',
        schema: { type: 'integer' },
      },
      {
        name: 'until',
        in: 'query',
        description: 'A time.',
        schema: { type: 'string', format: 'date-time' },
      },
    ]);
    expect(rowOf('endedSessions').errors).toEqual([400, 401, 410]);
  });

  test.each([
    ['since=a', { since: 'a' }],
    ['since=a&isLong=true&least=7', { since: 'a', isLong: true, least: 7 }],
    ['since=a&least=', { since: 'a' }],
    ['', ['since', 'since in query is required']],
    ['since=%20', ['since', 'since in query is required']],
    ['since=a&isLong=yes', ['isLong', 'should be one of [true false]']],
    ['since=a&least=-1', ['least', 'must be a whole number']],
    ['since=a&least=99999999999', ['least', 'must be a whole number']],
    ['since=a&least=2147483647', { since: 'a', least: 2_147_483_647 }],
    ['since=a&least=2147483648', ['least', 'must be a whole number']],
    ['since=a&least=1e3', ['least', 'must be a whole number']],
    ['since=a&until=soon', ['until', 'must be a time as in RFC 3339']],
    ['since=a&until=2030-01-02T03:04:05Z', { since: 'a', until: '2030-01-02T03:04:05Z' }],
  ])('reads ?%s', (text, expected) => {
    expect(faultOf('endedSessions', asked(text))).toEqual(expected);
  });
});
