import { describe, expect, test } from '@jest/globals';
import { hashPassword } from '../../../src/trust/auth/password-hash.js';
import { ProvedPasswords } from '../../../src/trust/auth/proved-passwords.js';

/** A password that proved right is remembered, and opens nothing else. */

const RIGHT = 'correct horse';

describe('a remembered password', () => {
  test('is right again', async () => {
    const passwords = new ProvedPasswords();
    const stored = await hashPassword(RIGHT);
    for (let i = 0; i < 3; i += 1) expect(await passwords.isPassword(stored, RIGHT)).toBe(true);
  });

  test('makes no other password right', async () => {
    const passwords = new ProvedPasswords();
    const stored = await hashPassword(RIGHT);
    await passwords.isPassword(stored, RIGHT);
    for (const wrong of ['', 'correct hors', 'correct horse ', 'Correct horse', 'x'.repeat(100)]) {
      expect(await passwords.isPassword(stored, wrong)).toBe(false);
    }
    expect(await passwords.isPassword(stored, RIGHT)).toBe(true);
  });

  test('is that of its stored hash alone', async () => {
    const passwords = new ProvedPasswords();
    await passwords.isPassword(await hashPassword(RIGHT), RIGHT);
    expect(await passwords.isPassword(await hashPassword('another one'), RIGHT)).toBe(false);
  });

  test('is right for every owner who chose the same', async () => {
    const passwords = new ProvedPasswords();
    for (let i = 0; i < 2; i += 1) {
      expect(await passwords.isPassword(await hashPassword(RIGHT), RIGHT)).toBe(true);
    }
  });
});

test('a wrong password is never remembered', async () => {
  const passwords = new ProvedPasswords();
  const stored = await hashPassword(RIGHT);
  for (let i = 0; i < 3; i += 1) expect(await passwords.isPassword(stored, 'wrong')).toBe(false);
});
