import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listedRows } from '../../../src/programs/cli/finding-table.js';
import type { Finding } from '../../../src/programs/emitted/operations.js';
import { startController } from '../../support/controller.js';
import { linesOf, overgraph as run, type Ended } from './overgraph.js';

/** Findings in the terminal: which are new, and which are accepted. */

let controller: Awaited<ReturnType<typeof startController>>;
let folder: string;

const service = (name: string): Promise<string> =>
  controller.create('services', { name, encryptionRequired: true });

beforeAll(async () => {
  controller = await startController();
  folder = await mkdtemp(join(tmpdir(), 'overgraph-findings-'));
  await service('wiki');
});
afterAll(async () => {
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

const findings = (...args: readonly string[]): Promise<Ended> =>
  run({ port: controller.port, dataDir: controller.dataDir, folder }, ['findings', ...args]);

interface Found {
  readonly id: string;
  readonly kind: string;
  readonly mute: { readonly reason: string } | null;
  readonly entities: readonly { readonly name: string }[];
}

const UNDIALED = ['--kind', 'service-nobody-dials'];

async function listed(...args: readonly string[]): Promise<Found[]> {
  const { out } = await findings('--json', ...args);
  return JSON.parse(out) as Found[];
}

async function undialed(name: string, ...args: readonly string[]): Promise<Found | undefined> {
  const found = await listed(...UNDIALED, ...args);
  return found.find(({ entities }) => entities[0]?.name === name);
}

async function baseline(file: string, ...args: readonly string[]): Promise<void> {
  const { out } = await findings('--json', ...args);
  await writeFile(join(folder, file), out);
}

describe('a finding', () => {
  it.each(['x', '9', 'a.b', 'a-b_c.', 'OwA1y0qn-', 'a(b', '25ba1aa3-4468-445a-910e-93f5b425f2c1'])(
    'names the entity with the id %s',
    (id) => {
      const finding: Finding = {
        id: 'f1',
        kind: 'ROLE_MATCHES_NOTHING',
        severity: 'LOW',
        text: `The role @${id} among the service roles of the service policy ${id} matches axa.`,
        entities: [{ kind: 'servicePolicy', id, name: 'sales' }],
        entityCount: 1,
        side: null,
        about: null,
        similarTo: null,
        gained: 0,
        lost: 0,
        changes: [],
        mute: null,
      };
      expect(listedRows([finding])[0]?.at(-1)).toBe(
        'The role @"sales" among the service roles of the service policy "sales" matches axa.',
      );
    },
  );
});

describe('findings against a baseline', () => {
  it('end with 0 while there are no new ones, whatever is renamed', async () => {
    await baseline('same.json');
    const { body } = await controller.rest('GET', '/services?filter=name="wiki"');
    const [wiki] = body.data as { id: string }[];
    await controller.rest('PATCH', `/services/${String(wiki?.id)}`, { name: 'handbook' });
    const told = await findings('--baseline', 'same.json');
    await controller.rest('PATCH', `/services/${String(wiki?.id)}`, { name: 'wiki' });
    expect(told).toEqual({ code: 0, out: 'Nothing new was found.\n', err: '' });
    expect(JSON.parse(await readFile(join(folder, 'same.json'), 'utf8'))).not.toEqual([]);
  });

  it('are the new ones alone, and end with 1', async () => {
    await baseline('before.json');
    const id = await service('vault');
    const told = await findings('--baseline', 'before.json');
    expect({ code: told.code, err: told.err }).toEqual({
      code: 1,
      err: 'overgraph: 2 new findings\n',
    });
    expect(linesOf(told)).toEqual([
      expect.stringMatching(/^severity +kind +id +text$/),
      expect.stringMatching(/^MEDIUM +SERVICE_NOBODY_DIALS +[0-9a-f]{20} +.*"vault"\.$/),
      expect.stringMatching(/^MEDIUM +SERVICE_NOBODY_HOSTS +[0-9a-f]{20} +.*"vault", and/),
      '',
      '2 new findings.',
    ]);
    const some = await findings('--baseline', 'before.json', ...UNDIALED, '--json');
    expect(some).toMatchObject({ code: 1, err: 'overgraph: 1 new finding\n' });
    expect(JSON.parse(some.out)).toMatchObject([{ entities: [{ name: 'vault' }] }]);
    await controller.rest('DELETE', `/services/${id}`);
  });

  it('end with 1 for new ones of a severity alone, when told to', async () => {
    await baseline('calm.json');
    const id = await service('crm');
    const high = await findings('--baseline', 'calm.json', '--fail-on', 'high');
    expect(high).toMatchObject({ code: 0, err: '' });
    expect(linesOf(high).at(-1)).toBe('2 new findings.');
    expect(await findings('--baseline', 'calm.json', '--fail-on', 'medium')).toMatchObject({
      code: 1,
      err: 'overgraph: 2 new findings of severity medium or worse\n',
    });
    await controller.rest('DELETE', `/services/${id}`);
  });

  it('say what is gone, of the kinds that are asked about', async () => {
    const id = await service('shop');
    await baseline('more.json');
    await controller.rest('DELETE', `/services/${id}`);
    expect(await findings('--baseline', 'more.json')).toEqual({
      code: 0,
      out: 'Nothing new was found.\n',
      err: 'overgraph: 2 findings of more.json are gone\n',
    });
    expect(await findings('--baseline', 'more.json', ...UNDIALED)).toMatchObject({
      code: 0,
      err: 'overgraph: 1 finding of more.json is gone\n',
    });
    const other = ['--kind', 'duplicate-policy'];
    expect(await findings('--baseline', 'more.json', ...other)).toMatchObject({ code: 0, err: '' });
  });

  it.each([
    ['half.json', '[\n  {"id": "a",\n', /^overgraph: half\.json:\d+:\d+: .*; a baseline is what/],
    ['text.json', 'nothing', /^overgraph: text\.json(:\d+:\d+)?: .*a baseline is what/],
    ['empty.json', '', /^overgraph: empty\.json: .*a baseline is what/],
    ['object.json', '{"data": []}', /^overgraph: object\.json: is no list; a baseline/],
    ['old.json', '[{"kind": "X"}]', /^overgraph: old\.json: \[0\]\.id must be a text;/],
    ['ids.json', '[{"id": "a", "kind": "X"}, "b"]', /^overgraph: ids\.json: \[1\]\.id must be/],
  ])('end with 2 when %s is %j', async (file, content, message) => {
    await writeFile(join(folder, file), content);
    const { code, out, err } = await findings('--baseline', file);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(message) });
  });
});

describe('a muted finding', () => {
  it('is shown with --muted alone, until it is unmuted', async () => {
    const id = String((await undialed('wiki'))?.id);
    const args = ['--reason', 'not \u001b[31m yet', '--until', '2999-01-31'];
    expect(await findings('mute', id, ...args)).toEqual({
      code: 0,
      out: `${id} is muted until 2999-01-31T00:00:00.000Z.\n`,
      err: '',
    });
    expect(await undialed('wiki')).toBeUndefined();
    expect(await undialed('wiki', '--muted')).toMatchObject({
      id,
      mute: { reason: 'not \u001b[31m yet', mutedUntil: '2999-01-31T00:00:00.000Z' },
    });
    expect(await findings(...UNDIALED, '--fail-on', 'low')).toEqual({
      code: 0,
      out: 'Nothing was found. 1 muted finding not shown.\n',
      err: '',
    });
    const told = await findings(...UNDIALED, '--muted');
    expect(linesOf(told)[1]).toContain(
      'Muted by "admin" until 2999-01-31T00:00:00.000Z: not \\u{1b}[31m yet',
    );
    expect(await findings('unmute', id)).toEqual({
      code: 0,
      out: `${id} is no longer muted.\n`,
      err: '',
    });
    expect(await undialed('wiki')).toMatchObject({ id, mute: null });
  });

  it('is neither new nor gone', async () => {
    const id = String((await undialed('wiki'))?.id);
    await writeFile(join(folder, 'none.json'), '[]');
    await baseline('all.json', ...UNDIALED);
    await findings('mute', id, '--reason', 'known');
    for (const file of ['none.json', 'all.json']) {
      expect(await findings('--baseline', file, ...UNDIALED)).toEqual({
        code: 0,
        out: 'Nothing new was found. 1 muted finding not shown.\n',
        err: '',
      });
    }
    for (const bad of [
      ['--baseline', 'none.json'],
      ['--fail-on', 'low'],
    ]) {
      const shown = await findings(...bad, ...UNDIALED, '--muted');
      expect(shown).toMatchObject({ code: 0, err: '', out: expect.stringContaining(id) });
    }
    await findings('unmute', id);
  });

  it.each([
    [['mute', 'none', '--reason', 'x'], 'overgraph: finding with id none not found\n'],
    [['unmute', 'none'], 'overgraph: findingMute with id none not found\n'],
  ])('has to be there: %j', async (args, message) => {
    const { code, out, err } = await findings(...args);
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: message });
  });

  it('needs an end that is not past', async () => {
    const id = String((await undialed('wiki'))?.id);
    const past = ['--reason', 'x', '--until', '2001-01-01T00:00:00Z'];
    expect(await findings('mute', id, ...past)).toEqual({
      code: 2,
      out: '',
      err: 'overgraph: until: must be in the future\n',
    });
  });
});
