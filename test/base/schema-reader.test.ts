import { describe, expect, it } from '@jest/globals';
import { overlaid, readerOf } from '../../src/base/schema-reader.js';
import {
  anyObject,
  anyText,
  atMostCharacters,
  atMostEntries,
  boolean,
  choice,
  filledListOf,
  filledText,
  integer,
  listOf,
  orElse,
  orNull,
  ruled,
  schemaOf,
  type TypedSchema,
} from '../../src/base/typed-schema.js';
import { refusal } from '../support/refusal.js';

const evenFault = (count: number): string | undefined =>
  count % 2 === 0 ? undefined : 'must be even';

const TEXT_REASON = 'must be text that is not blank';

describe('a reader of settings', () => {
  it.each<[schema: TypedSchema<unknown>, value: unknown, field: string, reason: string]>([
    [filledText(), undefined, 'm', 'is required'],
    [filledText(), null, 'm', 'is required'],
    [filledText(), 1, 'm', TEXT_REASON],
    [filledText(), '', 'm', TEXT_REASON],
    [filledText(), ' \t', 'm', TEXT_REASON],
    [orElse(filledText(), '', 'empty'), ' ', 'm', TEXT_REASON],
    [orNull(filledText(), 'any'), 1, 'm', TEXT_REASON],
    [anyText(), 1, 'm', 'must be text'],
    [anyText().min(1, 'is required'), '', 'm', 'is required'],
    [atMostCharacters(2, anyText()), 'abc', 'm', 'must have at most 2 characters'],
    [boolean(), 'true', 'm', 'must be true or false'],
    [integer(), 1.5, 'm', 'must be a whole number'],
    [integer(), 2 ** 31, 'm', 'must be a whole number'],
    [integer(), -(2 ** 31), 'm', 'must be a whole number'],
    [ruled(integer(), evenFault), 3, 'm', 'must be even'],
    [ruled(integer(), evenFault), 'x', 'm', 'must be a whole number'],
    [choice(['a', 'b']), 'c', 'm', 'must be one of a, b'],
    [choice(['a', 'b']), 1, 'm', 'must be one of a, b'],
    [listOf(filledText()), {}, 'm', 'must be a list'],
    [listOf(filledText()), ['a', null], 'm[1]', 'is required'],
    [listOf(listOf(boolean())), [[true], [true, 1]], 'm[1][1]', 'must be true or false'],
    [filledListOf(filledText()), [], 'm', 'must not be empty'],
    [atMostEntries(1, listOf(filledText())), ['a', 'b'], 'm', 'must have at most 1 entries'],
    [anyObject(), [], 'm', 'must be an object'],
    [schemaOf({ a: boolean() }), { a: null }, 'm.a', 'is required'],
    [listOf(schemaOf({ a: boolean() })), [{ a: 1 }], 'm[0].a', 'must be true or false'],
  ])('by %j refuses %j', (schema, value, field, reason) => {
    expect(refusal(readerOf(schema), value, 'm')).toMatchObject({ field, reason });
  });

  it('names the member alone where the whole is the body', () => {
    const read = readerOf(schemaOf({ a: boolean() }));
    expect(refusal(read, {})).toMatchObject({ field: 'a' });
    expect(refusal(read, 1)).toMatchObject({ field: 'body' });
    expect(refusal(read, {}, '[2]')).toMatchObject({ field: '[2].a' });
  });

  it.each([
    [1, 1],
    [undefined, null],
  ])('tells for %j the value %j', (sent, value) => {
    const detail = expect.objectContaining({ value }) as unknown;
    expect(() => readerOf(boolean())(sent, 'm')).toThrow(expect.objectContaining({ detail }));
  });

  it('gives the declared members, and defaults for those that are left out', () => {
    const read = readerOf(
      schemaOf({
        text: orElse(filledText(), 'none', 'any'),
        texts: orElse(listOf(filledText()), []),
        nested: schemaOf({ id: orNull(filledText(), 'empty') }),
      }),
    );
    const expected = { text: 'none', texts: [], nested: { id: null } };
    expect(read({ nested: {} })).toStrictEqual(expected);
    expect(read({ text: ' ', texts: null, nested: { id: '' }, more: 1 })).toStrictEqual(expected);
  });

  it('does not hand out the declared default itself', () => {
    const read = readerOf(orElse(listOf(filledText()), []));
    expect(read(null)).not.toBe(read(null));
  });

  it('gives values in the form in which they are kept', () => {
    expect(readerOf(integer(), (count) => Math.max(count, 0))(-5)).toBe(0);
  });

  it('keeps rules from texts that count as absent', () => {
    const read = readerOf(
      schemaOf({
        a: orNull(
          ruled(filledText(), () => 'never'),
          'any',
        ),
      }),
    );
    expect(read({ a: ' ' })).toStrictEqual({ a: null });
    expect(refusal(read, { a: 'x' })).toMatchObject({ reason: 'never' });
  });
});

describe('a partial change', () => {
  const current = { a: { b: 1, c: [1] }, d: 'x' };

  it.each([
    [undefined, current],
    [null, current],
    [{}, current],
    [
      { a: { b: null, c: [] }, d: null },
      { a: { b: 1, c: [] }, d: 'x' },
    ],
    [{ a: 1 }, { a: 1, d: 'x' }],
    [{ e: { f: 1 } }, { ...current, e: { f: 1 } }],
    [1, 1],
  ])('%j is laid over what there is', (sent, result) => {
    expect(overlaid(current, sent)).toStrictEqual(result);
  });

  it('does not change a prototype', () => {
    const changed = overlaid({ a: 1 }, JSON.parse('{"__proto__":{"b":1}}'));
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  });
});
