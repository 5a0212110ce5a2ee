import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { checkConfigData } from '../../../src/data/config-types/index.js';
import { refusal } from '../../support/refusal.js';
import { runs } from '../../support/runs.js';

const schema = {
  type: 'object',
  required: ['name', 'size'],
  properties: {
    size: { type: 'integer' },
    name: { type: 'string' },
    deep: { type: 'object', required: ['x'], properties: { 'a/b~c': { type: 'string' } } },
    either: { anyOf: [{ type: 'string' }, { type: 'object', required: ['y'] }] },
  },
};
const sound = { name: 'n', size: 1 };

describe('config data', () => {
  test.each([[null], [undefined], [[]], ['text'], [1]])('is refused when it is %p', (data) => {
    expect(refusal(checkConfigData, null, data)).toEqual({
      field: 'data',
      reason: 'must be an object',
    });
  });

  it('may be any object when there is no schema', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        expect(refusal(checkConfigData, null, data)).toBeUndefined();
      }),
      runs(50),
    );
  });

  test.each<[unknown, string, string]>([
    [{}, '(root)', 'name is required'],
    [{ ...sound, deep: {} }, 'deep', 'x is required'],
    [{ ...sound, deep: { x: 1, 'a/b~c': 1 } }, 'deep.a/b~c', 'must be string'],
    [{ ...sound, either: 1 }, 'either', 'fits none of the forms allowed here'],
    [{ ...sound, either: {} }, 'either', 'fits none of the forms allowed here'],
    [{ name: 1, size: 'x' }, 'name', 'must be string'],
    [{ size: 'x', name: 1 }, 'size', 'must be integer'],
  ])('%j is refused at %s: %s', (data, field, reason) => {
    expect(refusal(checkConfigData, schema, data)).toEqual({ field, reason });
  });

  it('has no members but its own', () => {
    const inherited = {
      type: 'object',
      required: ['toString'],
      properties: { constructor: { type: 'integer' } },
    };
    expect(refusal(checkConfigData, inherited, { toString: 'x' })).toBeUndefined();
    expect(refusal(checkConfigData, inherited, {})).toEqual({
      field: '(root)',
      reason: 'toString is required',
    });
  });

  it('gets the same answer whatever the order of the schema', () => {
    const turned = {
      properties: Object.fromEntries(Object.entries(schema.properties).reverse()),
      required: schema.required,
      type: schema.type,
    };
    const data = { size: 'x', name: 1, deep: 1 };
    expect(refusal(checkConfigData, turned, data)).toEqual(refusal(checkConfigData, schema, data));
  });
});

describe('hostile config data', () => {
  it('is refused in bounded time when a pattern backtracks without end', () => {
    const trap = { type: 'object', properties: { a: { type: 'string', pattern: '^(x+)+$' } } };
    expect(refusal(checkConfigData, trap, { a: `${'x'.repeat(60)}!` })?.reason).toContain(
      'in time',
    );
    expect(refusal(checkConfigData, trap, { a: 'xx' })).toBeUndefined();
  });

  it('is judged when it is large', () => {
    const rows = { type: 'object', properties: { rows: { items: { type: 'string' } } } };
    const data = { rows: Array.from({ length: 200_000 }, () => 1) };
    expect(refusal(checkConfigData, rows, data)?.field).toBe('rows.0');
  });
});
