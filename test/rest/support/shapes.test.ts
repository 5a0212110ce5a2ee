import { expect, test } from '@jest/globals';
import { anyListOf, listOf, mapOf, members, misfits, oneOf, type Shape } from './shapes.js';

/* A reader that accepts everything would prove nothing. */

test.each<[string, unknown, Shape, string[]]>([
  ['a number for a text', 5, 'text', ['data is 5, not text']],
  ['an empty text', '', 'filled', ['data is "", not filled']],
  ['a date for a time', '2026-01-01', 'time', ['data is "2026-01-01", not time']],
  ['a fraction', 1.5, 'int', ['data is 1.5, not int']],
  ['a number beyond those that are exact', 2 ** 53, 'int', ['data is 9007199254740992, not int']],
  ['a text for a truth value', 'true', 'bool', ['data is "true", not bool']],
  ['a list for an object', [], 'object', ['data is [], not object']],
  ['a name for a version', 'v1', 'version', ['data is "v1", not version']],
  ['another text', 'c', oneOf('a', 'b'), ['data is "c", not a|b']],
  ['no entry', [], listOf('text'), ['data is [], not a list with an entry']],
  ['a wrong entry', ['a', 1], anyListOf('text'), ['data[1] is 1, not text']],
  ['a wrong value', { a: 'b' }, mapOf('int'), ['data.a is "b", not int']],
  ['an absent member', {}, members({ a: 'text' }), ['data.a is absent, not text']],
  ['null for a member', { a: null }, members({ a: 'text' }), ['data.a is absent, not text']],
  ['a wrong optional member', { a: 1 }, members({ 'a?': 'text' }), ['data.a is 1, not text']],
])('%s is told', (_, value, shape, told) => {
  expect(misfits(value, shape)).toEqual(told);
});

test.each<[string, unknown, Shape]>([
  ['an optional member that is absent', {}, members({ 'a?': 'text' })],
  ['an optional member that is null', { a: null }, members({ 'a?': 'text' })],
  ['a member that is not read', { a: 'b', c: 1 }, members({ a: 'filled' })],
  ['a list that may be empty', [], anyListOf('text')],
  ['a time', '2026-01-01T00:00:00.000Z', 'time'],
])('%s is fine', (_, value, shape) => {
  expect(misfits(value, shape)).toEqual([]);
});
