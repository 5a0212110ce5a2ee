import { describe, expect, test } from '@jest/globals';
import { GraphQLBoolean, GraphQLInt } from 'graphql';
import { Arg, FieldResolver, Int, Query, Resolver } from 'type-graphql';
import { declaredRows } from '../../rest-compat/declared/declared-rows.js';
import { faultsOfRows } from '../../rest-compat/index.js';
import { buildGraph, operations } from '../../src/graph/index.js';
import {
  attribute,
  described,
  id,
  int,
  list,
  object,
  objects,
  text,
} from '../../src/kernel/declare/attribute.js';
import { may } from '../../src/kernel/declare/permissions.js';
import { outputType } from '../../src/kernel/graph/graphql-types.js';
import { connectionType } from '../../src/kernel/graph/list-types.js';
import { Needs } from '../../src/kernel/graph/needs.js';
import { RestMember, RestObject } from '../../src/kernel/graph/rest-member.js';
import { Rest } from '../../src/kernel/graph/rest-operation.js';
import { Identity } from '../../src/resources/identities/identity.js';
import { catalog } from '../../src/resources/index.js';

/* The REST body of an answer follows from the declarations of its types. */

/** A reason, which REST shows under the name of its kind. */
@RestObject({
  view: ({ kind, ...members }: { readonly kind: string }) => ({ [kind]: members }),
  schema: () => ({ type: 'object', additionalProperties: { type: 'object' } }),
})
@described('Why a session ended.')
class EndReason {
  @attribute(text(), { description: 'Its kind.' })
  kind!: string;

  @attribute(list(id()), { description: 'Ids of what ended it.', omitEmpty: true })
  causeIds!: string[];
}

@described('The end of a session.')
class SessionEnd {
  @attribute(id(), { description: 'Id of the session.', restName: 'id' })
  sessionId!: string;

  @attribute(id(), { description: 'Id of the service.', restName: 'service.id' })
  serviceId!: string;

  @attribute(int(), { description: 'Number of its circuits.', nullable: true })
  circuits!: number | null;

  @attribute(text(), { description: 'Name of the service.', restName: 'service.name' })
  serviceName!: string;

  @attribute(text(), { description: 'A comment.', nullable: true, omitEmpty: true })
  comment!: string | null;

  @attribute(text(), { description: 'For pictures.', graphOnly: true })
  colour!: string;

  @attribute(objects(() => EndReason), { description: 'Why it ended.' })
  reasons!: EndReason[];
}

const SESSION_ENDS = connectionType('SessionEnd', outputType(object(() => SessionEnd)));

@described('The ends of sessions.')
class SessionEnds {
  @attribute(int(), { description: 'Number of API sessions.' })
  count!: number;

  @attribute(object(() => EndReason), {
    description: 'The most frequent reason.',
    restWithout: ['causeIds'],
  })
  mainReason!: EndReason;
}

const selectionArguments = {
  first: { type: GraphQLInt, description: 'How many.' },
  comments: { type: GraphQLBoolean, description: 'Whether to count.', default: false },
};

@Resolver(() => SessionEnds)
class SessionEndsResolver {
  @Rest(
    { method: 'GET', path: '/session-ends', selectionArguments },
    {
      method: 'GET',
      path: '/session-end-count',
      operationId: 'countSessionEnds',
      answer: { kind: 'data', without: ['count', 'mainReason'] },
    },
  )
  @Needs(may('ops', 'read'))
  @Query(outputType(object(() => SessionEnds)), { description: 'The ends of sessions.' })
  sessionEnds(): SessionEnds {
    return { count: 0, mainReason: { kind: 'time', causeIds: [] } };
  }

  @FieldResolver(() => SESSION_ENDS, { description: 'The ends.' })
  ends(
    @Arg('first', () => Int, { nullable: true, description: 'How many.' }) first: number | null,
  ): object {
    return { totalCount: first };
  }

  @RestMember({ keepsDefaults: true })
  @FieldResolver(() => [Int], { description: 'Lengths of the last sessions.' })
  lengths(
    @Arg('first', () => Int, { defaultValue: 3, description: 'How many.' }) first: number,
  ): number[] {
    return [first];
  }

  @RestMember({ select: 'id name' })
  @FieldResolver(() => Identity, { description: 'The identity of most of them.' })
  identity(): undefined {
    return undefined;
  }

  @FieldResolver(() => Identity, { description: 'The identity of the last one.' })
  lastIdentity(): undefined {
    return undefined;
  }

  @RestMember({ onlyWith: 'comments' })
  @FieldResolver(() => Int, { description: 'Number of comments.' })
  commentCount(): number {
    return 0;
  }
}

const schema = await buildGraph(catalog, [...operations, SessionEndsResolver]);
const rows = declaredRows(catalog, schema);

function rowOf(operationId: string): (typeof rows)[number] {
  const row = rows.find((one) => one.operationId === operationId);
  if (!row) throw new Error(`${operationId} has no row`);
  return row;
}

describe('an answer whose members differ on REST', () => {
  const { document, answer } = rowOf('sessionEnds');

  test('selects all members that REST shows, with the arguments of the operation', () => {
    expect(document).toBe(
      'query ($first: Int, $comments: Boolean = false) { result: sessionEnds { count mainReason { kind } ends(first: $first) { totalCount nodes { id: sessionId serviceId circuits serviceName comment reasons { kind causeIds } } } lengths identity { id name } commentCount @include(if: $comments) } }',
    );
    expect(rowOf('countSessionEnds').document).toBe(
      'query { result: sessionEnds { lengths identity { id name } } }',
    );
    expect(faultsOfRows(rows, schema)).toStrictEqual([]);
  });

  test.each([
    [
      { circuits: null, comment: null, reasons: [{ kind: 'time', causeIds: [] }] },
      { circuits: null, reasons: [{ time: {} }] },
    ],
    [
      { circuits: 1, comment: 'c', reasons: [{ kind: 'change', causeIds: ['x'] }] },
      { circuits: 1, comment: 'c', reasons: [{ change: { causeIds: ['x'] } }] },
    ],
  ])('shows %j by the declarations', (selected, body) => {
    if (answer.kind !== 'data') throw new Error('it is no data');
    const end = { id: 's', serviceId: 'i', serviceName: 'n', ...selected };
    const view = answer.view as (result: unknown) => unknown;
    const mainReason = { kind: 'time' };
    expect(view({ count: 1, mainReason, ends: { totalCount: 1, nodes: [end] } })).toStrictEqual({
      count: 1,
      mainReason: { time: {} },
      ends: { totalCount: 1, nodes: [{ id: 's', service: { id: 'i', name: 'n' }, ...body }] },
    });
  });

  test('has the schema of what it shows', () => {
    if (answer.kind !== 'data') throw new Error('it is no data');
    const integer = { type: 'integer' };
    const string = { type: 'string' };
    const end = {
      type: 'object',
      required: ['id', 'service', 'circuits', 'reasons'],
      properties: {
        id: string,
        service: {
          type: 'object',
          required: ['id', 'name'],
          properties: { id: string, name: string },
        },
        circuits: { type: 'integer', nullable: true },
        comment: string,
        reasons: {
          type: 'array',
          items: { type: 'object', additionalProperties: { type: 'object' } },
        },
      },
    };
    expect(answer.schema).toStrictEqual({
      type: 'object',
      required: ['count', 'mainReason', 'ends', 'lengths', 'identity'],
      properties: {
        count: integer,
        mainReason: { type: 'object', additionalProperties: { type: 'object' } },
        ends: {
          type: 'object',
          required: ['totalCount', 'nodes'],
          properties: { totalCount: integer, nodes: { type: 'array', items: end } },
        },
        lengths: { type: 'array', items: integer },
        identity: {
          type: 'object',
          required: ['id', 'name'],
          properties: { id: string, name: string },
        },
        commentCount: integer,
      },
    });
  });
});
