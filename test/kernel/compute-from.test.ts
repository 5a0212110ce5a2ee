import { expect, test } from '@jest/globals';
import { computeFrom, secretFrom } from '../../src/kernel/declare/compute-from.js';

/* A line with an expected error must not compile, or the step `types` of the check fails. */

test('a computation reads what it needs of a row, and nothing else', () => {
  const { needs } = computeFrom<'Identity'>()(['disabledAt'], (rows) =>
    rows.map(({ id, disabledAt, ...others }) => {
      const at: Date | null = disabledAt;
      // @ts-expect-error -- not among what it needs
      expect(others.disabledUntil).toBeUndefined();
      return [id, at];
    }),
  );
  expect(needs).toStrictEqual(['disabledAt']);
  // @ts-expect-error -- misspelt
  expect(computeFrom<'Identity'>()(['disabledOn'], () => []).needs).toHaveLength(1);
});

test('a secret is judged by what it needs of a row, and nothing else', () => {
  const isShown = secretFrom<'Session'>()(['identityId'], (rows) =>
    // @ts-expect-error -- not among what it needs
    rows.map(({ serviceId }) => serviceId === ''),
  );
  expect(isShown).toStrictEqual({
    needs: ['identityId'],
    isShown: expect.any(Function) as unknown,
  });
});
