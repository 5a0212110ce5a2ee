import { describe, expect, test } from '@jest/globals';
import { schemaOf } from './support/contract-notation.js';

describe('the notation of the contract', () => {
  test.each([
    ['string', { type: 'string' }],
    ['string:date-time?', { type: 'string', format: 'date-time', nullable: true }],
    ['string(1..100)', { type: 'string', minLength: 1, maxLength: 100 }],
    ['integer(..5)?', { type: 'integer', maximum: 5, nullable: true }],
    ['integer:int32(-1..)', { type: 'integer', format: 'int32', minimum: -1 }],
    ['[#a-b](1..)', { type: 'array', items: { $ref: 'a-b' }, minItems: 1 }],
    ['=Dial|a-b.c', { type: 'string', enum: ['Dial', 'a-b.c'] }],
    ['object/string', { type: ['object', 'string'] }],
    ['<[*]>', { type: 'object', additionalProperties: { type: 'array', items: {} } }],
    ['(#tags)?', { $ref: 'tags', nullable: true }],
    ['{}', { type: 'object', properties: {} }],
    [
      '#base & {x5t#S256*: =a|b, in: {b: boolean}, other*}',
      {
        allOf: [
          { $ref: 'base' },
          {
            type: 'object',
            properties: {
              'x5t#S256': { type: 'string', enum: ['a', 'b'] },
              in: { type: 'object', properties: { b: { type: 'boolean' } } },
            },
            required: ['x5t#S256', 'other'],
          },
        ],
      },
    ],
  ])('%s', (text, schema) => {
    expect(schemaOf(text)).toEqual(schema);
  });

  test.each(['', '[string', '{a: string', 'string)', '#', 'a & '])('refuses %j', (text) => {
    expect(() => schemaOf(text)).toThrow('the notation has a fault');
  });
});
