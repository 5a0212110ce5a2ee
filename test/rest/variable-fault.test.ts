import { describe, expect, test } from '@jest/globals';
import { buildSchema, parse } from 'graphql';
import { variableFault } from '../../rest-compat/engine/variable-fault.js';

/* Values that only the graph refuses are told in the words of REST. */

const schema = buildSchema(`
  input Window { from: Int!, days: [Int!] }
  input Change { name: String!, windows: [Window!] }
  type Query { change(id: ID!, count: Int, input: Change): ID }
`);

const document = parse(
  'query ($id: ID!, $count: Int, $input: Change) { change(id: $id, count: $count, input: $input) }',
);

const faultIn = (variables: object, names?: Readonly<Record<string, string>>): unknown =>
  variableFault(schema, document, { id: 'i', ...variables }, names).detail;

const reason = 'must be a value of the declared type';

describe('the fault of variables', () => {
  test.each([
    [{ count: 2 ** 31 }, { field: 'count', reason, value: 2 ** 31 }],
    [{ id: undefined }, { field: 'id', reason: 'is required', value: '' }],
    [{ id: null }, { field: 'id', reason, value: null }],
    [{ input: 5 }, { field: 'body', reason, value: 5 }],
    [{ input: { name: 5 } }, { field: 'name', reason, value: 5 }],
    [
      { input: { name: 'n', windows: [{ from: 1 }, { from: 1, days: [1, 1.5] }] } },
      { field: 'windows.1.days.1', reason, value: 1.5 },
    ],
  ])('of %j names the place in the request', (variables, fault) => {
    expect(faultIn(variables)).toEqual({ kind: 'field', ...fault });
  });

  test('has the names that clients know', () => {
    const names = { count: 'most', input: 'change' };
    expect(faultIn({ count: 'a' }, names)).toMatchObject({ field: 'most' });
    expect(faultIn({ input: { name: 5 } }, names)).toMatchObject({ field: 'change.name' });
  });

  test('never repeats a sentence of the graph', () => {
    expect(faultIn({ input: { name: 'n', other: 1 } })).toMatchObject({ field: 'body', reason });
    expect(variableFault(schema, document, { id: 'i' })).toMatchObject({
      code: 'COULD_NOT_VALIDATE',
      detail: { kind: 'message', message: 'a value is not of its declared type' },
    });
  });
});
