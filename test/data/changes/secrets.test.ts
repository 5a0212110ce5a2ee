import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { catalog } from '../../../src/resources/index.js';
import { PASSWORD, runSql } from '../../trust/auth/client.js';
import { MfaHolder } from '../../trust/auth/mfa-holder.js';
import { SampleNetwork } from '../../rest/support/network.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { StreamClient } from './subscribing.js';

/** One of everything is made and deleted: whoever reads the log learns nothing that lets people in. */

let controller: TestController & { dataDir: string };
let folder: string;
let sink: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-sink-'));
  sink = join(folder, 'changes.jsonl');
  controller = await startController({ env: { OVERGRAPH_CHANGES_SINK: sink } });
});
afterAll(async () => {
  await controller.stop();
  await rm(folder, { recursive: true });
});

/** Where the database keeps secrets, whoever they are of. */
const KEPT: Readonly<Record<string, string>> = {
  'tokens of API sessions': 'select token as secret from api_session',
  'tokens of sessions': 'select token as secret from session',
  'tokens of enrollments': 'select token as secret from enrollment',
  'JWTs of enrollments': 'select jwt as secret from enrollment',
  'hashes of passwords':
    'select password_hash as secret from authenticator where password_hash is not null',
  'sealed second factors': 'select secret from mfa',
  'sealed recovery codes': 'select recovery_codes as secret from mfa',
  'secrets of terminators':
    "select encode(identity_secret, 'base64') as secret from terminator where identity_secret is not null",
};

async function allSecrets(): Promise<Map<string, string[]>> {
  const network = await new SampleNetwork(controller, catalog).build();
  const holder = await MfaHolder.create(controller);
  const { secret, recoveryCodes } = await holder.complete();
  await controller.create('terminators', {
    service: network.idOf('Service'),
    router: network.idOf('EdgeRouter'),
    binding: 'transport',
    address: 'tcp:127.0.0.1:1',
    identity: 'some-identity',
    identitySecret: Buffer.from('a secret of a terminator').toString('base64'),
  });
  const found = new Map<string, string[]>([
    ['passwords', [PASSWORD, 'a good password', 'correct horse']],
    ['TOTP secrets', [secret]],
    ['recovery codes', [...recoveryCodes]],
  ]);
  for (const [what, text] of Object.entries(KEPT)) {
    const rows = await runSql(controller, text);
    found.set(
      what,
      rows.map((row) => String(row.secret)),
    );
  }
  await holder.send('PATCH', `/current-identity/authenticators/${holder.person.authenticatorId}`, {
    body: {
      currentPassword: PASSWORD,
      username: holder.person.username,
      password: 'one more Pass-99',
    },
  });
  found.get('passwords')?.push('one more Pass-99');
  await controller.rest('DELETE', `/identities/${holder.person.id}`);
  await controller.rest('DELETE', `/edge-routers/${network.idOf('EdgeRouter')}`);
  return found;
}

describe('secrets', () => {
  test('are in no list, no subscription and no line of the sink', async () => {
    const secrets = await allSecrets();
    for (const [what, texts] of secrets)
      expect([what, texts.length > 0]).toStrictEqual([what, true]);
    const last = await controller.create('services', {
      name: 'the last',
      encryptionRequired: true,
    });
    await eventually(async () => {
      expect(await readFile(sink, 'utf8')).toContain(last);
    });
    const written = await readFile(sink, 'utf8');
    const listed = (await controller.rest('GET', '/changes?limit=-1')).text;
    expect(listed).toContain(last);
    const first = JSON.parse(written.slice(0, written.indexOf('\n'))) as { id: string };
    const query =
      'subscription ($since: ID) { changes(since: $since) { id type entityId before after fields { name before after } } }';
    const origin = `https://127.0.0.1:${String(controller.port)}`;
    const stream = await StreamClient.open(
      origin,
      controller.token,
      { since: first.id },
      { query },
    );
    stream.read();
    await eventually(() => {
      expect(JSON.stringify(stream.events.at(-1))).toContain(last);
    });
    stream.close();
    const followed = JSON.stringify(stream.events);
    // Every kind of entity was written.
    const types = new Set(stream.events.map(({ data }) => data?.changes.type));
    for (const type of [
      'Identity',
      'Authenticator',
      'Enrollment',
      'ApiSession',
      'Session',
      'Terminator',
    ]) {
      expect(types).toContain(type);
    }
    const leaks = [...secrets].flatMap(([what, texts]) =>
      texts.flatMap((text) =>
        Object.entries({ written, listed, followed }).flatMap(([where, all]) =>
          all.includes(JSON.stringify(text).slice(1, -1)) ? [`${what} in what was ${where}`] : [],
        ),
      ),
    );
    expect(leaks).toStrictEqual([]);
  });
});
