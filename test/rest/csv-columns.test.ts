import { describe, expect, test } from '@jest/globals';
import { GraphQLID, GraphQLInt, GraphQLList, GraphQLObjectType, GraphQLString } from 'graphql';
import { csvColumns } from '../../rest-compat/declared/csv-columns.js';

/* The columns of a list as CSV follow from the members of its entries. */

const USER = new GraphQLObjectType({ name: 'User', fields: { name: { type: GraphQLString } } });

const LEASE = new GraphQLObjectType({
  name: 'Lease',
  fields: {
    id: { type: GraphQLID, extensions: { restMember: { graphOnly: true } } },
    leaseId: { type: GraphQLID, extensions: { restMember: { restName: 'id' } } },
    count: { type: GraphQLInt },
    users: { type: new GraphQLList(USER) },
    usedAt: { type: GraphQLString, extensions: { restMember: { onlyWith: 'lastUse' } } },
    secret: { type: GraphQLString, extensions: { restMember: { graphOnly: true } } },
  },
});

const NODE = { id: 'l1', count: 2, users: [{ name: 'Ada' }, { name: 'Bo' }], usedAt: null };

const textOf = (value: Parameters<typeof csvColumns>[1][string]): string | undefined =>
  csvColumns(LEASE, { column: value })[0]?.text(NODE as never);

describe('a column of CSV', () => {
  test.each([
    ['id', 'l1'],
    ['count', '2'],
    ['usedAt', ''],
    ['users.0.name', 'Ada'],
    ['users.2.name', ''],
  ])('shows the member %s', (member, text) => {
    expect(textOf(member)).toBe(text);
  });

  test('shows the text that a function makes', () => {
    expect(textOf(({ users }: typeof NODE) => users.map(({ name }) => name).join(' '))).toBe(
      'Ada Bo',
    );
  });

  test('exists with the selection argument of its member', () => {
    const columns = csvColumns(LEASE, { lease: 'id', lastUsedAt: 'usedAt' });
    expect(columns.map(({ name, onlyWith }) => [name, onlyWith])).toEqual([
      ['lease', undefined],
      ['lastUsedAt', 'lastUse'],
    ]);
  });

  test.each(['leaseId', 'secret'])('refuses %s, which entries do not show', (member) => {
    expect(() => csvColumns(LEASE, { column: member })).toThrow(`Lease has no member ${member}`);
  });
});
