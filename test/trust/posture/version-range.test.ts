import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { parseVersionRange } from '../../../src/trust/posture/index.js';
import { runs } from '../../support/runs.js';

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
