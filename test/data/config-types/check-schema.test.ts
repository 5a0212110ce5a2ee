import { describe, expect, it, test } from '@jest/globals';
import { checkConfigData, checkSchema } from '../../../src/data/config-types/index.js';
import { refusal } from '../../support/refusal.js';

function nested(levels: number): Record<string, unknown> {
  return levels === 0
    ? { type: 'object' }
    : { type: 'object', properties: { a: nested(levels - 1) } };
}

const root = { type: 'object' };

/** what it is, schema, part of the reason (none: sound) */
const cases: readonly (readonly [what: string, schema: unknown, reason?: string])[] = [
  ['nothing', undefined],
  ['null', null],
  ['an empty object', {}],
  ['a plain object schema', { ...root, required: ['a'] }],
  ['another draft', { ...root, $schema: 'http://json-schema.org/draft-04/schema#', id: 'x' }],
  ['unknown keywords and formats', { ...root, whatever: 1, properties: { a: { format: 'zip' } } }],
  [
    'a reference inside',
    { ...root, definitions: { a: {} }, properties: { b: { $ref: '#/definitions/a' } } },
  ],
  ['text', 'object', 'object'],
  ['a list', [root], 'object'],
  ['no root type', { properties: {} }, 'root type'],
  ['another root type', { type: 'array' }, 'root type'],
  ['a list of root types', { type: ['object'] }, 'root type'],
  ['an unknown type', { ...root, properties: { a: { type: 'blob' } } }, 'usable'],
  ['a keyword of the wrong kind', { ...root, required: 'a' }, 'usable'],
  ['a broken pattern', { ...root, properties: { a: { pattern: '(' } } }, 'usable'],
  ['a reference to elsewhere', { ...root, $ref: 'https://example.com/schema.json' }, 'usable'],
  ['a reference to nothing', { ...root, properties: { a: { $ref: '#/definitions/a' } } }, 'usable'],
  [
    'a promise inside',
    {
      ...root,
      definitions: { a: { $async: true, type: 'string' } },
      properties: { b: { $ref: '#/definitions/a' } },
    },
    'usable',
  ],
  ['the name of a draft', { ...root, $id: 'http://json-schema.org/draft-07/schema' }, 'usable'],
  ['too much text', { ...root, description: 'x'.repeat(256 * 1024) }, '256 KiB'],
  ['too many levels', nested(60), 'levels'],
  ['too long a pattern', { ...root, properties: { a: { pattern: 'x'.repeat(1001) } } }, 'pattern'],
  [
    'too many patterns',
    {
      ...root,
      patternProperties: Object.fromEntries(
        [...Array(501).keys()].map((n) => [`p${String(n)}`, {}]),
      ),
    },
    'patterns',
  ],
];

describe('a schema of a config type', () => {
  test.each(cases)('that is %s', (_what, schema, reason = 'sound') => {
    const refused = refusal(checkSchema, schema) ?? { field: 'schema', reason: 'sound' };
    expect(refused).toEqual({ field: 'schema', reason: expect.stringContaining(reason) });
  });

  it('gives a verdict, never a promise', () => {
    const schema = { ...root, $async: true, required: ['a'] };
    expect(refusal(checkSchema, schema)).toBeUndefined();
    expect(refusal(checkConfigData, schema, {})?.field).toBe('(root)');
  });

  it('does not disturb another one with the same $id', () => {
    const schemas = ['a', 'b'].map((name) => ({
      ...root,
      $id: 'https://example.com/schema',
      required: [name],
    }));
    for (const schema of schemas) expect(refusal(checkSchema, schema)).toBeUndefined();
    expect(schemas.map((schema) => refusal(checkConfigData, schema, { a: 1 })?.field)).toEqual([
      undefined,
      '(root)',
    ]);
  });
});
