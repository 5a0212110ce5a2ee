import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import {
  parseStrictVersion,
  parseVersionRange,
  plainRange,
  satisfiesRange,
} from '../../../src/trust/posture/index.js';
import { runs } from '../../support/runs.js';
import { inStrictRange } from './strict-range.js';

const at = (operator: string, ...numbers: number[]) => ({
  operator,
  version: { numbers, prerelease: [] },
});

const ranges: readonly (readonly [text: string, range: unknown])[] = [
  ['1', [[at('=', 1)]]],
  ['1.2', [[at('=', 1, 2)]]],
  ['10.0.19041', [[at('=', 10, 0, 19041)]]],
  ['==1.2.3', [[at('=', 1, 2, 3)]]],
  ['!1.2.3', [[at('!=', 1, 2, 3)]]],
  ['!=1.2.3', [[at('!=', 1, 2, 3)]]],
  ['>=1.0.0 <2.0.0', [[at('>=', 1, 0, 0), at('<', 2, 0, 0)]]],
  ['>= 1.0.0  <  2', [[at('>=', 1, 0, 0), at('<', 2)]]],
  ['>1 || <=0.5.0 !0.4', [[at('>', 1)], [at('<=', 0, 5, 0), at('!=', 0, 4)]]],
  ['1.2.x', [[at('=', 1, 2)]]],
  ['1.X.*', [[at('=', 1)]]],
  ['>=1.x', [[at('>=', 1)]]],
  ['*', [[at('=')]]],
];

const others: readonly (readonly [text: string])[] = [
  [''],
  [' '],
  ['||'],
  ['1 ||'],
  ['a'],
  ['1.2.3.4'],
  ['1..2'],
  ['01.2.3'],
  ['-1'],
  ['v1.2.3'],
  ['1.x.3'],
  ['1.2.x-beta'],
  ['1.2-beta'],
  ['1.2.3-'],
  ['1.2.3-01'],
  ['1.2.3-a..b'],
  ['1.2.3+'],
  ['1.2.3+a_b'],
  ['=>1.2.3'],
  ['~1.2.3'],
  ['^1.2.3'],
  ['>='],
  ['1.2.3 | 2'],
  ['1234567890123456'],
  ['1'.repeat(256)],
];

describe('a version range', () => {
  test.each(ranges)('%j is read', (text, range) => {
    expect(parseVersionRange(text)).toEqual(range);
  });

  test.each(others)('%j is none', (text) => {
    expect(parseVersionRange(text)).toBeUndefined();
  });

  it('keeps the prerelease and drops the build', () => {
    expect(parseVersionRange('>=1.2.3-rc.1+build.5')).toEqual([
      [{ operator: '>=', version: { numbers: [1, 2, 3], prerelease: ['rc', '1'] } }],
    ]);
  });

  it('is found in anything made of its parts', () => {
    const number = fc.nat(999);
    const version = fc
      .array(number, { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('.'));
    const operator = fc.constantFrom('', '=', '==', '!', '!=', '>', '>=', '<', '<=', '>= ');
    const comparator = fc.tuple(operator, version).map((parts) => parts.join(''));
    const all = fc.array(comparator, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(all, { minLength: 1, maxLength: 3 }), (alternatives) => {
        const text = alternatives.map((comparators) => comparators.join(' ')).join(' || ');
        expect(parseVersionRange(text)?.map(({ length }) => length)).toEqual(
          alternatives.map(({ length }) => length),
        );
      }),
      runs(100),
    );
  });
});

describe('a range in comparators of full versions', () => {
  test.each([
    ['5.15', '>=5.15.0-0 <5.16.0-0'],
    ['1.x', '>=1.0.0-0 <2.0.0-0'],
    ['*', '>=0.0.0-0'],
    ['>=5.4', '>=5.4.0-0'],
    ['<5.4', '>=0.0.0-0 <5.4.0-0'],
    ['1.2.3', '>=1.2.3 <=1.2.3'],
    ['!5.4', '>=0.0.0-0 <5.4.0-0 || >=5.5.0-0'],
    ['!1.2.3', '>=0.0.0-0 !=1.2.3'],
    ['>2 <1', '<0.0.0-0'],
    ['no range', '<0.0.0-0'],
    ['', '<0.0.0-0'],
  ])('%j becomes %j', (range, plain) => {
    expect(plainRange(range)).toBe(plain);
  });

  test('holds the same versions', () => {
    const number = fc.nat(3);
    const numbers = fc.array(number, { minLength: 1, maxLength: 3 });
    const version = fc.tuple(
      number,
      number,
      number,
      fc.constantFrom('', '-0', '-1', '-91-a', '-rc.1'),
    );
    const operator = fc.constantFrom('', '=', '!', '!=', '>', '>=', '<', '<=');
    const partial = fc.oneof(
      numbers.map((parts) => parts.join('.')),
      version.map(([a, b, c, pre]) => `${String(a)}.${String(b)}.${String(c)}${pre}`),
      fc.constantFrom('*', '1.x', '1.2.x'),
    );
    const comparator = fc.tuple(operator, partial).map((parts) => parts.join(''));
    const all = fc.array(comparator, { minLength: 1, maxLength: 4 });
    const range = fc
      .array(all, { minLength: 1, maxLength: 3 })
      .map((alternatives) => alternatives.map((one) => one.join(' ')).join(' || '));
    fc.assert(
      fc.property(range, version, (text, [a, b, c, pre]) => {
        const reported = `${String(a)}.${String(b)}.${String(c)}${pre}`;
        const parsed = parseStrictVersion(reported);
        expect(parsed && satisfiesRange(parsed, text)).toBe(
          inStrictRange(reported, plainRange(text)),
        );
      }),
      runs(2_000),
    );
  });

  test('excludes any number of versions in few alternatives', () => {
    const excluded = Array.from({ length: 60 }, (_, i) => `!${String(i)}`).join(' ');
    expect(parseVersionRange(excluded)).toBeDefined();
    expect(plainRange(excluded)).toBe('>=60.0.0-0');
  });
});
