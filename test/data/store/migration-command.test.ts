import { execFile } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';

function migration(...args: string[]): Promise<{ code: number; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['dist/src/programs/migration.js', ...args], (error, _, errors) => {
      resolve({ code: error ? Number(error.code) : 0, errors });
    });
  });
}

describe('the migration command', () => {
  test('finds that the migrations make what is declared', async () => {
    expect(await migration('--check')).toEqual({ code: 0, errors: '' });
  });

  test.each([[[]], [['Service-Note']], [['../note']]])('refuses %j as a name', async (args) => {
    const { code, errors } = await migration(...args);
    expect(code).toBe(2);
    expect(errors).toContain('give the new migration a name of lower-case words');
  });
});
