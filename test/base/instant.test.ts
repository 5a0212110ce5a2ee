import { describe, expect, test } from '@jest/globals';
import { instantOf, instantOrDayOf } from '../../src/base/instant.js';

const shown = (date: Date): string => (Number.isNaN(date.getTime()) ? 'none' : date.toISOString());

describe('an instant', () => {
  test.each([
    ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31t12:00:00.5+02:00', '2030-01-31T10:00:00.500Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2030-02-29T00:00:00Z', 'none'],
    ['2030-02-30T00:00:00+01:00', 'none'],
    ['2030-13-01T00:00:00Z', 'none'],
    // Without a zone it would be the time of the controller's machine.
    ['2030-01-31T12:00:00', 'none'],
    ['yesterday', 'none'],
    ['', 'none'],
  ])('of %j is %s', (text, expected) => {
    expect([shown(instantOf(text)), shown(instantOrDayOf(text))]).toStrictEqual([
      expected,
      expected,
    ]);
  });

  test('may be a day, where that is allowed', () => {
    expect(shown(instantOrDayOf('2030-01-31'))).toBe('2030-01-31T00:00:00.000Z');
    expect(shown(instantOrDayOf('2030-02-30'))).toBe('none');
    expect(shown(instantOf('2030-01-31'))).toBe('none');
  });
});
