import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BrokenWire } from '../../support/broken-wire.js';
import { ADMIN_PASSWORD, startController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { overgraph as run, type Ended } from './overgraph.js';

/** Following access in the terminal: the built command against a built controller. */

let controller: Awaited<ReturnType<typeof startController>>;
let wire: BrokenWire;
let folder: string;
const watching = new Set<ChildProcess>();

const roles = (identityRoles: string[], serviceRoles: string[]) => ({
  type: 'Dial',
  semantic: 'AnyOf',
  identityRoles,
  serviceRoles,
});

beforeAll(async () => {
  controller = await startController();
  wire = await BrokenWire.to(controller.port);
  folder = await mkdtemp(join(tmpdir(), 'overgraph-watch-'));
  await controller.create('identities', {
    name: 'ada',
    type: 'Default',
    isAdmin: false,
    roleAttributes: ['staff'],
  });
});

afterAll(async () => {
  for (const child of watching) child.kill('SIGKILL');
  await wire.stop();
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

const service = (name: string): Promise<string> =>
  controller.create('services', { name, encryptionRequired: true, roleAttributes: [name] });
const policy = (service: string): Promise<string> =>
  controller.create('service-policies', {
    name: `staff dials ${service}`,
    ...roles(['#staff'], [`#${service}`]),
  });

const overgraph = (...args: string[]): Promise<Ended> =>
  run({ port: controller.port, dataDir: controller.dataDir, folder }, args);

/** The built command as it runs. */
class Watch {
  out = '';
  err = '';
  readonly #ended: Promise<unknown>;

  private constructor(readonly child: ChildProcess) {
    watching.add(child);
    child.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.#ended = once(child, 'close');
  }

  static async begin(...args: string[]): Promise<Watch> {
    const url = ['--url', `https://localhost:${String(wire.port)}`];
    const program = [join(process.cwd(), 'dist/program/overgraph.js'), 'watch', ...url, ...args];
    const env = {
      PATH: process.env.PATH,
      OVERGRAPH_DATA_DIR: controller.dataDir,
      OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD,
    };
    const watch = new Watch(spawn(process.execPath, program, { env }));
    await watch.until(() => {
      expect(watch.err).toContain('overgraph: following');
    });
    return watch;
  }

  async until(check: () => void): Promise<void> {
    await eventually(check);
  }

  lines(): string[] {
    return this.out.split('\n').slice(0, -1);
  }

  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal) this.child.kill(signal);
    await this.#ended;
    watching.delete(this.child);
    return this.child.exitCode;
  }
}

describe('watch', () => {
  it('tells of access that changes from now on, and ends with 0 when it is interrupted', async () => {
    await service('wiki');
    const before = await policy('wiki');
    // A change is listed once no older transaction of the server is under way.
    await eventually(async () => {
      const { body } = await controller.rest('GET', `/changes?filter=entityId="${before}"`);
      expect(body.data).toHaveLength(1);
    });
    const watch = await Watch.begin();
    await service('vault');
    const id = await policy('vault');
    await controller.rest('DELETE', `/service-policies/${id}`);
    await watch.until(() => {
      expect(watch.lines()).toHaveLength(2);
    });
    expect(await watch.end('SIGINT')).toBe(0);
    const place = '[-0-9T:.]+Z {2}[0-9a-f]{36}';
    expect(watch.lines()).toEqual([
      expect.stringMatching(
        `^${place}  create ServicePolicy "staff dials vault" by "admin": gained 1: ada Dial vault$`,
      ),
      expect.stringMatching(
        `^${place}  delete ServicePolicy "staff dials vault" by "admin": lost 1: ada Dial vault$`,
      ),
    ]);
    expect(watch.err).toMatch(/^overgraph: following what comes after [0-9a-f]{36}\n$/);
  });

  it('goes on where it was when the connection is cut, with a word on stderr', async () => {
    const watch = await Watch.begin('--json');
    await service('first');
    await policy('first');
    await watch.until(() => {
      expect(watch.lines()).toHaveLength(1);
    });
    wire.cut();
    await service('second');
    await policy('second');
    wire.mend();
    await watch.until(() => {
      expect(watch.lines()).toHaveLength(2);
    });
    expect(await watch.end('SIGTERM')).toBe(0);
    const events = watch.lines().map((line) => JSON.parse(line) as object);
    expect(events).toMatchObject([
      { gainedCount: 1, gained: [{ identityName: 'ada', serviceName: 'first' }], lostCount: 0 },
      { gainedCount: 1, gained: [{ identityName: 'ada', serviceName: 'second' }], lostCount: 0 },
    ]);
    expect(watch.err).toMatch(
      /https:\S+ (was cut off|can not be reached): .*; connecting again in 0\.5 s\n/,
    );
  });

  it('ends when it is interrupted behind a dead connection', async () => {
    const watch = await Watch.begin();
    wire.cut();
    expect(await watch.end('SIGINT')).toBe(0);
    wire.mend();
  });

  it('begins a new session when its own has ended', async () => {
    const watch = await Watch.begin();
    const { body } = await controller.rest('GET', '/api-sessions?limit=500');
    const own = body.data as { id: string; token?: string }[];
    const current = await controller.rest('GET', '/edge/client/v1/current-api-session');
    const { id } = current.body.data as { id: string };
    for (const session of own.filter((each) => each.id !== id)) {
      await controller.rest('DELETE', `/api-sessions/${session.id}`);
    }
    await watch.until(() => {
      expect(watch.err).toContain('connecting again');
    });
    await service('later');
    await policy('later');
    await watch.until(() => {
      expect(watch.lines()).toHaveLength(1);
    });
    expect(await watch.end('SIGINT')).toBe(0);
  });

  it('follows every change behind one that is known, as many as are wanted', async () => {
    const watch = await Watch.begin('--changes');
    const [, since = ''] = /after ([0-9a-f]{36})/.exec(watch.err) ?? [];
    // Earlier commits, such as its own login, may be listed only after it asks what is newest.
    const ofServices = () => watch.lines().filter((line) => line.includes(' Service '));
    const id = await service('books');
    await controller.rest('PATCH', `/services/${id}`, { roleAttributes: ['new'] });
    await watch.until(() => {
      expect(ofServices()).toHaveLength(2);
    });
    expect(await watch.end('SIGINT')).toBe(0);
    const limit = String(watch.lines().length);
    const again = await overgraph('watch', '--changes', '--since', since, '--limit', limit);
    expect(again).toMatchObject({ code: 0, out: watch.out });
    expect(ofServices()).toEqual([
      expect.stringMatching(/ {2}create Service "books" by "admin"$/),
      expect.stringMatching(/ {2}update Service "books" by "admin": roleAttributes$/),
    ]);
  });

  it('ends when nobody reads its output any more', async () => {
    const watch = await Watch.begin('--changes');
    watch.child.stdout?.destroy();
    await service('unread');
    expect(await watch.end()).toBe(0);
    expect(watch.err).not.toMatch(/EPIPE|Error/);
  });

  it.each([
    [['--since', 'nonsense'], 2, 'since: is no id of a change'],
    [['--since', 'f'.repeat(36)], 2, ''],
    [['x'], 2, 'watch takes no operands'],
    [['--url', 'https://localhost:1'], 3, 'nothing listens there'],
  ])('ends at once when used as %j', async (args, code, message) => {
    const ended = await overgraph('watch', ...args);
    expect(ended).toEqual({ code, out: '', err: expect.stringContaining(message) });
  });
});
