import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../../../src/programs/cli/client.js';
import { LastChange } from '../../../src/programs/emitted/operations.js';
import { LiveKeys } from '../../../src/trust/pki/index.js';
import { serveHttps, type TestServer } from '../../support/https-server.js';
import { keysIn } from '../../support/key-material.js';

/** What a command makes of answers: the client against a server that answers every request alike. */

let folder: string;
let server: TestServer;
let client: Client;
let changes: object | null;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-client-'));
  const first = await keysIn(folder);
  const load = () => Promise.resolve(first);
  const keys = new LiveKeys({ first, load, accept: () => Promise.resolve() });
  server = await serveHttps((_request, response) => {
    response.end(JSON.stringify({ data: { authenticate: { token: 't' }, changes } }));
  }, keys);
  changes = {};
  client = await Client.login({
    url: new URL(`https://127.0.0.1:${String(server.port)}`),
    login: { username: 'admin', password: 'any' },
    tls: { rejectUnauthorized: false },
  });
});
afterAll(async () => {
  client.close();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

describe('an answer', () => {
  it('gives what was asked for', async () => {
    changes = { nodes: [{ id: 'c1' }] };
    expect(await client.run(LastChange, {})).toMatchObject({ changes });
  });

  it('without a refusal and without what was asked for ends the command', async () => {
    changes = null;
    await expect(client.run(LastChange, {})).rejects.toMatchObject({
      exitCode: 3,
      message: `https://127.0.0.1:${String(server.port)} answers without changes`,
    });
  });
});
