import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { newPerson, PASSWORD } from '../../trust/auth/client.js';
import { OutsideSigner } from '../../trust/auth/signers.js';
import { ADMIN_PASSWORD, startControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { ownNetwork, type Document } from './network.js';
import { IMPORT } from './transfers.js';

type Controller = Awaited<ReturnType<typeof startControllerProcess>>;

let controller: Controller;
let folder: string;
let document: Document;

beforeAll(async () => {
  controller = await startControllerProcess();
  folder = await mkdtemp(join(tmpdir(), 'overgraph-command-'));
  document = await ownNetwork();
});

afterAll(async () => {
  await controller.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the built command with the password and data directory of the controller around it. */
function overgraph(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const environment = {
    PATH: process.env.PATH,
    OVERGRAPH_DATA_DIR: controller.dataDir,
    OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD,
    ...env,
  };
  return new Promise((resolve) => {
    const program = [join(process.cwd(), 'dist/program/overgraph.js'), ...args];
    const child = execFile(
      process.execPath,
      program,
      { env: environment, cwd: folder },
      (_, out, err) => {
        resolve({ code: child.exitCode ?? -1, out, err });
      },
    );
  });
}

const at = (): string[] => ['--url', `https://localhost:${String(controller.port)}`];

async function file(name: string, content: string | object): Promise<string> {
  const text = typeof content === 'string' ? content : stringify(content);
  await writeFile(join(folder, name), text);
  return name;
}

const person = (name: string) => ({ name, typeId: 'Default', isAdmin: false });

describe('the command', () => {
  it.each([
    [['--help'], 'Usage: overgraph <command>'],
    [['export', '--help'], 'Usage: overgraph export'],
    [['import', '-h'], 'Usage: overgraph import'],
  ])('explains itself with %j', async (args, text) => {
    const { code, out } = await overgraph(args);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(text) });
  });

  it.each([
    [[], 'Usage: overgraph'],
    [['destroy'], 'there is no command "destroy"'],
    [['export', '--colour'], "Unknown option '--colour'"],
    [['export', '--dry-run'], '--dry-run is an option of import'],
    [['export', '--format', 'xml'], '--format must be yaml or json'],
    [['export', '--url', 'ftp://x'], '--url must be an https address'],
    [['import'], 'import takes one file'],
    [['import', 'not-there.yaml'], 'not-there.yaml can not be read: ENOENT'],
    [['import', '--ca', 'none.pem', 'x'], '--ca none.pem can not be read: ENOENT'],
  ])('ends with 2 when used as %j', async (args, text) => {
    const { code, err, out } = await overgraph(args);
    expect({ code, err, out }).toEqual({ code: 2, err: expect.stringContaining(text), out: '' });
  });

  it('ends with 2 when nobody tells a password', async () => {
    const { code, err } = await overgraph(['export'], {
      OVERGRAPH_ADMIN_PASSWORD: undefined as never,
      OVERGRAPH_DATA_DIR: folder,
    });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('no password') });
  });

  it.each([
    ['nothing listens', ['--url', 'https://localhost:1'], {}, 'nothing listens there'],
    ['the password is wrong', ['--password', 'wrong one'], {}, 'refuses the login'],
    ['its authority is unknown', [], { OVERGRAPH_DATA_DIR: '/none' }, 'certificate is not trusted'],
  ])('ends with 3 when %s', async (_, args, env, text) => {
    const { code, err } = await overgraph(['export', ...at(), ...args], env);
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining(text) });
  });

  it('trusts the authority of the data directory, a named one, or anything when told to', async () => {
    const ca = join(controller.dataDir, 'pki', 'root.pem');
    for (const [args, env] of [
      [[], {}],
      [['--ca', ca], { OVERGRAPH_DATA_DIR: '/none' }],
      [['-k'], { OVERGRAPH_DATA_DIR: '/none' }],
    ] as const) {
      const { code } = await overgraph(['export', '--types', 'ca', ...at(), ...args], env);
      expect(code).toBe(0);
    }
  });

  it('takes the password from a file', async () => {
    await file('secret', `${ADMIN_PASSWORD}\n`);
    const args = ['export', '--types', 'ca', ...at(), '--password-file', 'secret'];
    const { code } = await overgraph(args, { OVERGRAPH_ADMIN_PASSWORD: 'wrong' });
    expect(code).toBe(0);
  });

  it('logs in with a JWT of the company, from a file or the environment', async () => {
    const signer = await OutsideSigner.create('company');
    const id = await controller.create('external-jwt-signers', signer.settings);
    const adminClaims = [{ claim: 'groups', values: ['admins'], isAdmin: true }];
    await controller.graphql(SET_RULES, { id, input: { adminClaims } });
    const person = await controller.create('identities', {
      ...{ name: 'somebody of the company', type: 'Default', isAdmin: false },
    });
    const jwt = await signer.jwt(person, { groups: ['admins'] });
    await file('jwt', `${jwt}\n`);
    const args = ['export', '--types', 'ca', ...at()];
    expect(await overgraph([...args, '--jwt-file', 'jwt'])).toMatchObject({ code: 0 });
    expect(await overgraph(args, { OVERGRAPH_JWT: jwt })).toMatchObject({ code: 0 });
    const plain = await signer.jwt(person);
    const withoutRights = { code: 3, err: expect.not.stringContaining('refuses the login') };
    expect(await overgraph(args, { OVERGRAPH_JWT: plain })).toMatchObject(withoutRights);
    const refused = { code: 3, err: expect.stringContaining('refuses the login') };
    expect(await overgraph(args, { OVERGRAPH_JWT: 'a.b.c' })).toMatchObject(refused);
    const both = await overgraph([...args, '--jwt-file', 'jwt', '--password', 'x']);
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('without a password') });
  });
});

const SET_RULES = `mutation ($id: ID!, $input: UpdateExternalJwtSignerInput!) {
  updateExternalJwtSigner(id: $id, input: $input) { id } }`;

/** Errors of an import: one that lasts longer than two seconds also says there how far it is. */
const besideProgress = ({ err }: Ended): string =>
  err.replaceAll(/^(?:checking|writing|done) \d+ of \d+\n/gm, '');

describe('import and export by command', () => {
  it('tells what would be done, does it, and then finds nothing to do', async () => {
    const name = await file('own.yaml', document);
    const dry = await overgraph(['import', '--dry-run', name, ...at()]);
    expect([dry.code, besideProgress(dry)]).toEqual([0, '']);
    expect(dry.out).toContain('created  services "plain text"\n');
    expect(dry.out).toContain('skipped  edgeRouterPolicies "edge-router-D98X8WmjYH-system"\n');
    expect(dry.out).toContain('Dry run: nothing was written.');
    const done = await overgraph(['import', name, ...at()]);
    expect([done.code, besideProgress(done)]).toEqual([0, '']);
    const lines = done.out.split('\n');
    expect(lines[0]).toBe(
      'section                    created  updated  unchanged  skipped  failed',
    );
    expect(lines).toContain(
      'services                         2        0          0        0       0',
    );
    const again = await overgraph(['import', name, ...at()]);
    expect(again.out).toContain(
      'services                         0        0          2        0       0',
    );
  });

  it('round-trips through YAML, JSON and the standard output', async () => {
    await overgraph(['import', await file('own.yaml', document), ...at()]);
    const told = await overgraph(['export', 'out.yaml', ...at()]);
    expect(told.out).toContain('servicePolicies                   2');
    await overgraph(['export', 'out.json', ...at()]);
    const piped = await overgraph(['export', '--format', 'json', ...at()]);
    const fromYaml: unknown = parse(await readFile(join(folder, 'out.yaml'), 'utf8'));
    expect(JSON.parse(await readFile(join(folder, 'out.json'), 'utf8'))).toEqual(fromYaml);
    expect(JSON.parse(piped.out)).toEqual(fromYaml);
    for (const name of ['out.yaml', 'out.json']) {
      const { code, out } = await overgraph(['import', '--dry-run', name, ...at()]);
      expect(code).toBe(0);
      expect(out).not.toMatch(/^(created|updated)/m);
    }
  });

  it('ends with 2 and every place when the document has faults', async () => {
    const services = [{ name: 'a', encryptionRequired: true, configs: ['@x'] }, { name: 'b' }];
    const result = await overgraph(['import', await file('bad.yaml', { services }), ...at()]);
    expect(result).toMatchObject({ code: 2, out: '' });
    expect(besideProgress(result).split('\n')).toEqual([
      'bad.yaml: services[0] "a": configs: no config is called "x"',
      'bad.yaml: services[1] "b": encryptionRequired: encryptionRequired in body is required',
      'overgraph: 2 faults; nothing was written',
      '',
    ]);
  });

  it.each([
    ['broken.yaml', 'services:\n  - name: a\n name: b\n', 'broken.yaml:3:1: '],
    ['twice.yaml', 'services: []\nservices: []\n', 'twice.yaml:2:1: Map keys must be unique'],
    ['broken.json', '{\n  "services": [', 'broken.json:2:16: '],
    ['deep.json', `{"services":${'['.repeat(70)}${']'.repeat(70)}}`, 'deep.json: nests too deep'],
    ['deep.yaml', `services: ${'['.repeat(20_000)}`, 'deep.yaml:1:'],
    ['text.yaml', 'hello', 'text.yaml: a document is an object of sections'],
  ])('ends with 2 when %s can not be read as a document', async (name, content, text) => {
    const { code, err } = await overgraph(['import', await file(name, content), ...at()]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(text) });
  });
});

describe('the size of a body', () => {
  const MIB = 1024 * 1024;
  const body = (bytes: number): string =>
    JSON.stringify({
      query: IMPORT,
      variables: { document: { services: [{ name: 'x'.repeat(bytes) }] }, dryRun: true },
    });
  const post = (path: string, content: string, headers: Record<string, string> = {}) =>
    controller.send<{ errors?: { extensions: { code: string } }[] }>('POST', path, {
      body: content,
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(content)),
        'zt-session': controller.token,
        ...headers,
      },
    });

  it('is at most 1 MiB, and 64 MiB for an import', async () => {
    expect((await post('/graphql', body(MIB))).status).toBe(413);
    expect((await post('/graphql/import', body(MIB))).status).toBe(200);
    expect((await post('/graphql/import', body(60 * MIB))).status).toBe(200);
    const refused = await post('/graphql/import', body(64 * MIB));
    expect(refused.status).toBe(413);
    expect(refused.body.errors?.[0]?.extensions.code).toBe('REQUEST_ENTITY_TOO_LARGE');
  });

  it('is not looked at when the sender is no administrator', async () => {
    const { username } = await newPerson(controller);
    const token = await controller.login(username, PASSWORD);
    for (const session of [token, '']) {
      const { status } = await post('/graphql/import', body(10), { 'zt-session': session });
      expect(status).toBe(401);
    }
  });

  it('is large for an import alone', async () => {
    const query = '{ version { version } }';
    const { status } = await post('/graphql/import', JSON.stringify({ query }));
    expect(status).toBe(400);
  });
});

describe('an import that breaks off with its controller', () => {
  it('is completed by the same import', async () => {
    const identities = Array.from({ length: 2_000 }, (_, i) => person(`late-${String(i)}`));
    const importId = '0f0e0d0c-0000-4000-8000-000000000003';
    const broken = controller.graphql(IMPORT, { document: { identities }, importId });
    const ended = broken.then(
      () => 'answered',
      () => 'broken',
    );
    await until(async () => {
      const { data } = await controller.graphql(
        `{ importProgress(importId: "${importId}") { phase done } }`,
      );
      const { importProgress } = data as { importProgress: { phase: string; done: number } | null };
      return importProgress?.phase === 'writing' && importProgress.done >= 500;
    });
    controller.child.kill('SIGKILL');
    await once(controller.child, 'exit');
    expect(await ended).toBe('broken');
    const successor = await startControllerProcess({ with: controller });
    try {
      const { data } = await successor.graphql(IMPORT, { document: { identities } });
      const { importNetwork } = data as { importNetwork: { summary: Record<string, number>[] } };
      const [count] = importNetwork.summary;
      expect(Number(count?.unchanged)).toBeGreaterThanOrEqual(500);
      // Transactions of 500; of a half or a quarter of it where the machine is slow.
      expect(Number(count?.unchanged) % 125).toBe(0);
      expect(Number(count?.created) + Number(count?.unchanged)).toBe(2_000);
    } finally {
      await successor.stop();
    }
  });
});

/** Asks again and again, for two minutes at the most. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  await eventually(async () => {
    if (!(await isSo())) throw new Error('it never was so');
  });
}
