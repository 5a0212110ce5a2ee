import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, runScript, type LockEntry, type StepResult } from './project.js';

/** Licences outside the allow-list fail the check, whatever form they are stated in. */

const LICENCES = { production: { MIT: 'fine', ISC: 'fine' }, development: { 'CC-BY-4.0': 'data' } };

const ALLOWED: Record<string, LockEntry> = {
  plain: { license: 'MIT' },
  choice: { license: '(GPL-3.0-only OR MIT)' },
  all: { license: 'MIT AND (ISC OR GPL-3.0-only)' },
  'lower-case': { license: 'MIT and ISC' },
  data: { license: 'CC-BY-4.0', dev: true },
};

const REFUSED: Record<string, LockEntry> = {
  copyleft: { license: 'AGPL-3.0-only' },
  both: { license: 'MIT AND GPL-3.0-only' },
  later: { license: 'MIT+' },
  exception: { license: 'MIT WITH Classpath-exception-2.0' },
  file: { license: 'SEE LICENSE IN LICENSE.txt' },
  unlicensed: { license: 'UNLICENSED' },
  'data-at-run-time': { license: 'CC-BY-4.0' },
  'other-platform': { license: 'GPL-2.0-only', optional: true, os: ['aix'] },
  'only-to-develop': { license: 'GPL-2.0-only', dev: true },
};

const byPath = (entries: Record<string, LockEntry>): Record<string, LockEntry> =>
  Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [`node_modules/${name}`, entry]),
  );

const check = async (
  entries: Record<string, LockEntry>,
  installed: Record<string, object> = {},
  packages: object[] = [],
): Promise<StepResult> => {
  const rules = { licences: LICENCES, packages };
  const folder = await makeProject({ entries: byPath(entries), installed, rules });
  return runScript('dependencies/licences.mjs', [folder]);
};

describe('the licences', () => {
  test('are allowed by name, by choice and in combination', async () => {
    expect(await check(ALLOWED)).toStrictEqual({ code: 0, lines: [] });
  });

  describe('outside the list', () => {
    let result: StepResult;

    beforeAll(async () => {
      result = await check({ ...ALLOWED, ...REFUSED });
    });

    test.each(Object.entries(REFUSED))('are refused: %s', (name, { license, dev }) => {
      const use = dev === true ? 'development' : 'production';
      expect(result.lines).toContain(
        `${name} 1.0.0 (${use}) has a licence that is not allowed: ${String(license)}`,
      );
    });

    test('are all that fails', () => {
      expect(result.code).toBe(1);
      expect(result.lines).toHaveLength(Object.keys(REFUSED).length);
    });
  });

  test('of what is required by a development dependency alone are those of development', async () => {
    const data = { license: 'CC-BY-4.0', devOptional: true };
    const entries = { tool: { dev: true, dependencies: { data: '^1.0.0' } }, data };
    expect(await check(entries)).toStrictEqual({ code: 0, lines: [] });
    const both = { ...entries, program: { dependencies: { data: '^1.0.0' } } };
    expect((await check(both)).lines).toStrictEqual([
      'data 1.0.0 (production) has a licence that is not allowed: CC-BY-4.0',
    ]);
  });

  test('are those of the installed package as well as those of the lock file', async () => {
    const installed = { 'node_modules/changed': { license: 'GPL-3.0-only' } };
    expect(await check({ changed: { license: 'MIT' } }, installed)).toStrictEqual({
      code: 1,
      lines: ['changed 1.0.0 (production) has a licence that is not allowed: GPL-3.0-only'],
    });
  });

  test('are stated', async () => {
    expect(await check({ silent: { license: undefined } })).toStrictEqual({
      code: 1,
      lines: ['silent 1.0.0 (production) states no licence'],
    });
  });
});

describe('a package', () => {
  const entries = { silent: { license: undefined }, copyleft: { license: 'EPL-2.0' } };
  const accepted = (name: string, licence: string, more: object = {}): object => ({
    name,
    version: '1.0.0',
    licence,
    reason: 'it is not passed on',
    ...more,
  });

  test('is accepted in one version, for a reason', async () => {
    const rules = [accepted('silent', 'MIT'), accepted('copyleft', 'EPL-2.0')];
    expect(await check(entries, {}, rules)).toStrictEqual({ code: 0, lines: [] });
  });

  test('is not accepted with another licence, without a reason, or once it is gone', async () => {
    const rules = [
      accepted('silent', 'MIT', { reason: '' }),
      accepted('copyleft', 'EPL-1.0'),
      accepted('copyleft', 'EPL-2.0', { version: '0.9.0' }),
    ];
    expect(await check(entries, {}, rules)).toStrictEqual({
      code: 1,
      lines: [
        'copyleft 1.0.0 (production) states EPL-2.0, accepted is EPL-1.0',
        'dependency-rules.json: silent 1.0.0 is accepted without a reason',
        'dependency-rules.json: copyleft 0.9.0 is not in the lock file, its line can go',
      ],
    });
  });
});
