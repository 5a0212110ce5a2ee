import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { byteSorted, compareBytes } from '../../src/base/byte-order.js';
import { runs } from '../support/runs.js';

test('texts are ordered as their UTF-8 bytes are', () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    runs(100),
  );
});

test('a text outside the basic plane comes after every text inside it', () => {
  expect(byteSorted(['\u{1f600}', '\uffee', 'a', 'Z', 'a', ''])).toEqual([
    '',
    'Z',
    'a',
    '\uffee',
    '\u{1f600}',
  ]);
});
