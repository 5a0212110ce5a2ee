import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../../src/base/errors.js';
import { operationWords } from '../../src/base/fault-words.js';
import type { JsonSchema } from '../../src/base/json-schema.js';
import { validatorOf, type Validator } from '../../src/base/validator.js';

/** The fault as clients get it: the field, the reason, the value. */
function faultOf(validate: Validator, value: unknown, place?: string): unknown[] | undefined {
  try {
    validate(value, place);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.detail?.kind !== 'field') throw error;
    const { field, reason, value: given } = error.detail;
    return [field, reason, given];
  }
}

const member = (schema: JsonSchema): Validator =>
  validatorOf({ type: 'object', properties: { m: schema } });

const nest = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
};

describe('a validator of bodies', () => {
  const TEXT = { type: 'string', storable: true };
  const JSON_VALUE = { storableJson: true };

  it.each<[schema: JsonSchema, value: unknown, field: string, reason: string, told?: unknown]>([
    [TEXT, 1, 'm', 'm in body must be of type string: "number"'],
    [TEXT, [], 'm', 'm in body must be of type string: "array"'],
    [TEXT, 'a\0', 'm', 'must be text without NUL and lone surrogates', ''],
    [{ ...TEXT, minLength: 1 }, '', 'm', 'm is required'],
    [{ ...TEXT, notEmpty: true }, '', 'm', 'm is required'],
    [{ enum: ['a'], notEmpty: 'type' }, '', 'type', 'm is required'],
    [{ ...TEXT, minLength: 3 }, 'ab', 'm', 'm in body should be at least 3 chars long'],
    [{ ...TEXT, minLength: 3 }, '\0', 'm', 'must be text without NUL and lone surrogates', ''],
    [{ ...TEXT, maxLength: 1 }, '\u{1F600}', 'm', 'm in body should be at most 1 chars long'],
    [{ type: 'integer' }, 1.5, 'm', 'm in body must be of type integer: "number"'],
    [{ type: 'integer' }, NaN, 'm', 'm in body must be of type integer: "number"'],
    [{ type: 'integer', maximum: 9 }, Infinity, 'm', 'm in body must be of type integer: "number"'],
    [{ minimum: 0 }, -1, 'm', 'm in body should be greater than or equal to 0'],
    [{ maximum: 9 }, 10, 'm', 'm in body should be less than or equal to 9'],
    [{ type: 'boolean' }, 'true', 'm', 'm in body must be of type boolean: "string"'],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', 'm', 'm in body should be one of [a b]'],
    [{ type: 'string', enum: ['a', 'b'] }, 1, 'm', 'm in body should be one of [a b]'],
    [{ type: 'string', format: 'byte' }, 'a-b', 'm', 'm in body must be of type byte: "string"'],
    [{ type: 'string', format: 'byte' }, 1, 'm', 'm in body must be of type byte: "number"'],
    [{ format: 'date-time' }, '2030-01-31', 'm', 'm in body must be of type date-time: "string"'],
    [
      { format: 'date-time' },
      '2030-02-30T12:00:00Z',
      'm',
      'm in body must be of type date-time: "string"',
    ],
    [{ format: 'date-time' }, 1, 'm', 'm in body must be of type date-time: "number"'],
    [
      { type: 'array', items: TEXT },
      ['a', null],
      'm.1',
      'm.1 in body must be of type string: "null"',
      null,
    ],
    [{ type: 'array', items: TEXT }, {}, 'm', 'm in body must be of type array: "object"'],
    [
      { unprefixed: true },
      ['a', '@b', '#c'],
      'm',
      'role attributes may not be prefixed with @',
      '@b',
    ],
    [
      { additionalProperties: { type: ['null', 'string', 'number', 'boolean'] } },
      { 'a/~b': [1] },
      'm.a/~b',
      'm.a/~b in body must be of type null, string, number or boolean: "array"',
      [1],
    ],
    [JSON_VALUE, nest(57), 'm', 'm in body must not nest deeper than 56 levels', ''],
    [JSON_VALUE, { a: ['\uD800'] }, 'm.a.0', 'must be text without NUL and lone surrogates', ''],
    [JSON_VALUE, JSON.parse('{"__proto__": 1}'), 'm.__proto__', 'must not be called __proto__', ''],
    [{ type: 'object', storableMap: true }, NaN, 'm', 'm in body must be of type object: "number"'],
    [{ storableMap: true }, { a: '\0' }, 'm.a', 'must be text without NUL and lone surrogates', ''],
    [JSON_VALUE, [Infinity], 'm.0', 'must be a number that fits into 64 bits', ''],
  ])('by %j refuses %j', (schema, value, field, reason, told = value) => {
    expect(faultOf(member(schema), { m: value })).toEqual([field, reason, told]);
  });

  it.each<[schema: JsonSchema, value: unknown]>([
    [TEXT, ''],
    [{ ...TEXT, minLength: 1 }, null],
    [{ type: 'integer' }, 1e10],
    [{ format: 'date-time' }, '2030-01-31t12:00:00.5+02:00'],
    [{ format: 'date-time' }, new Date(0)],
    [{ type: 'string', format: 'byte' }, 'YQ=='],
    [{ type: 'array', items: TEXT, unprefixed: true }, ['a']],
    [JSON_VALUE, nest(56)],
  ])('by %j passes %j', (schema, value) => {
    expect(faultOf(member(schema), { m: value })).toBeUndefined();
  });
});

describe('a validator of objects', () => {
  const OBJECT = {
    type: 'object',
    required: ['b', 'c'],
    properties: {
      a: { type: 'integer' },
      b: { type: 'string' },
      c: {
        type: 'array',
        items: { type: 'object', required: ['d'], properties: { d: { type: 'boolean' } } },
      },
    },
  };

  it.each<[value: unknown, field: string, reason: string]>([
    [{ c: 1 }, 'b', 'b in body is required'],
    [{ a: 'x' }, 'a', 'a in body must be of type integer: "string"'],
    [{ b: 1 }, 'b', 'b in body must be of type string: "number"'],
    [{ b: 'x', c: null }, 'c', 'c in body is required'],
    [{ b: 'x', c: [{ d: true }, {}] }, 'c.1.d', 'c.1.d in body is required'],
    [{ b: 'x', c: [1] }, 'c.0', 'c.0 in body must be of type object: "number"'],
  ])('refuses %j for the first fault as declared', (value, field, reason) => {
    expect(faultOf(validatorOf(OBJECT), value)?.slice(0, 2)).toEqual([field, reason]);
  });

  it('names members below the place of the whole', () => {
    expect(faultOf(validatorOf(OBJECT), {}, 'x')).toEqual(['x.b', 'x.b in body is required', '']);
    expect(faultOf(validatorOf({ type: 'object' }), [], 'x')).toEqual([
      'x',
      'x in body must be of type object: "array"',
      [],
    ]);
  });

  it('refuses null where a member may only be left out', () => {
    const update = validatorOf({ notNull: ['a'], properties: { a: {}, b: {} } });
    expect(faultOf(update, { b: null })).toBeUndefined();
    expect(faultOf(update, { a: null })).toEqual(['a', 'a in body must not be null', null]);
  });

  it('does not look at members of objects of other kinds', () => {
    const checks = validatorOf({
      properties: { size: { type: 'integer', onlyIf: { member: 'kind', is: ['A', 'B'] } } },
    });
    expect(faultOf(checks, { kind: 'C', size: 'x' })).toBeUndefined();
    for (const kind of ['A', 'B', undefined, 1]) {
      expect(faultOf(checks, { kind, size: 'x' })?.[0]).toBe('size');
    }
  });

  it('leaves out the kind of the value in the words of operations', () => {
    const validate = validatorOf(OBJECT, { words: operationWords });
    expect(faultOf(validate, { b: 1 })).toEqual(['b', 'b in body must be of type string', 1]);
    expect(faultOf(validate, {})).toEqual(['b', 'b in body is required', '']);
  });

  it('stops at the first of very many faults', () => {
    const read = new Set<string | symbol>();
    const c = new Proxy(
      Array.from({ length: 100_000 }, () => 1),
      { get: (list, at) => (read.add(at), Reflect.get(list, at) as unknown) },
    );
    expect(faultOf(validatorOf(OBJECT), { b: 'x', c })?.[0]).toBe('c.0');
    expect([...read]).not.toContain('1');
  });
});
