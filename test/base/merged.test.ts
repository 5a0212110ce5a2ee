import { describe, expect, it } from '@jest/globals';
import { copyOf, merged } from '../../src/base/merged.js';

describe('merged objects', () => {
  it('have the members of both in the order of a spread, and the values of the second', () => {
    const object = merged({ a: 1, b: 2 }, { b: 3, c: 4 });
    expect(JSON.stringify(object)).toBe('{"a":1,"b":3,"c":4}');
  });

  it('leave both as they are', () => {
    const [a, b] = [Object.freeze({ a: 1 }), Object.freeze({ b: 2 })];
    expect(merged(a, b)).toEqual({ a: 1, b: 2 });
    expect(a).toEqual({ a: 1 });
    expect(b).toEqual({ b: 2 });
  });

  it('are copies that take further members', () => {
    const frozen: { a: number; b?: number } = Object.freeze({ a: 1 });
    const copy = copyOf(frozen);
    copy.b = 2;
    expect(copy).toEqual({ a: 1, b: 2 });
    expect(frozen).toEqual({ a: 1 });
  });
});
