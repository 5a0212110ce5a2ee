import { randomUUID } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { oidcSessions } from '../../../src/data/rows/api-session/index.js';
import type { Change, ChangeListener, Store } from '../../../src/kernel/request/store-port.js';
import { signAccessToken } from '../../../src/trust/oidc/issue-tokens.js';
import { RevokedTokens } from '../../../src/trust/oidc/revoked-tokens.js';
import { InProcess } from '../../support/in-process.js';
import { claimsOf } from './login-client.js';

/* Revoked tokens in memory: what requests cost, and what they see while the ids are read. */

describe('requests with access tokens', () => {
  let network: InProcess;
  let identityId: string;
  let sessionId: string;

  beforeAll(async () => {
    network = await InProcess.start();
    identityId = await network.create('Identity', { name: 'ada', type: 'Default', isAdmin: false });
    sessionId = (await network.openSession(identityId, { oidcClient: 'native' })).id;
  });
  afterAll(() => network.stop());

  const SETTINGS = {
    ...{ redirectUris: [], postLogoutUris: [] },
    ...{ accessSeconds: 600, refreshSeconds: 600 },
  };

  async function newToken(): Promise<string> {
    const { store, tokenKeys } = network.parts;
    const now = new Date();
    const session = await oidcSessions.find(store, { id: sessionId }, now);
    if (!session) throw new Error('the session has ended');
    const issuer = 'https://localhost/oidc';
    const facts = { session, issuer, clientId: 'native', scopes: ['openid'], now };
    return signAccessToken(facts, tokenKeys.signer(), SETTINGS);
  }

  /** The identity of a request with a token, and the statements that it took. */
  async function ask(token: string): Promise<[identityId: string | undefined, number]> {
    const { contexts, database } = network.parts;
    const before = database.statements;
    const { caller } = await contexts.create({
      headers: { authorization: `Bearer ${token}` },
      rawHeaders: ['authorization', `Bearer ${token}`],
      socket: { remoteAddress: '127.0.0.1' } as TLSSocket,
    });
    return [caller?.identityId, database.statements - before];
  }

  test('need no statement, whether the token is new or not, while others are revoked', async () => {
    const [first, second] = [await newToken(), await newToken()];
    expect((await ask(first))[0]).toBe(identityId);
    expect(await ask(second)).toEqual([identityId, 0]);
    expect(await ask(second)).toEqual([identityId, 0]);
    const revoke = 'mutation ($id: ID!) { revoke(id: $id, type: JTI) { id } }';
    await network.read(revoke, { id: String(claimsOf(first).jti) });
    await network.read(revoke, { id: randomUUID() });
    expect(await ask(second)).toEqual([identityId, 0]);
    expect(await ask(first)).toEqual([undefined, 0]);
    expect(await ask(await newToken())).toEqual([identityId, 0]);
  });
});

describe('while the ids are read', () => {
  const listeners: ChangeListener[] = [];
  const reads: ((ids: readonly string[] | Error) => void)[] = [];
  const store = {
    onChange: (listener: ChangeListener) => void listeners.push(listener),
    readModel: () =>
      new Promise((resolve, reject) => {
        reads.push((ids) => {
          if (ids instanceof Error) reject(ids);
          else resolve(ids.map((id) => ({ id })));
        });
      }),
  } as unknown as Store;

  const tell = (id: string, type: string | null): void => {
    const change = { resource: 'Revocation', id, after: type === null ? null : { type } };
    for (const listener of listeners) void listener([change as unknown as Change]);
  };
  const endRead = (ids: readonly string[] | Error): void => reads.shift()?.(ids);

  test('a request waits, and sees those that are revoked meanwhile', async () => {
    const revoked = new RevokedTokens(store);
    const [read, meanwhile, other] = ['read', 'meanwhile', 'other'].map((id) => revoked.has(id));
    tell('meanwhile', 'JTI');
    tell('other', 'API_SESSION');
    endRead(['read']);
    expect(await Promise.all([read, meanwhile, other])).toEqual([true, true, false]);
    expect(reads).toHaveLength(0);
    tell('read', null);
    expect(revoked.hasNow('read')).toBe(false);
    tell('meanwhile', 'API_SESSION');
    expect(revoked.hasNow('meanwhile')).toBe(false);
  });

  test('a fault lets no request through, and the next one reads again', async () => {
    const revoked = new RevokedTokens(store);
    const asked = revoked.has('a');
    endRead(new Error('no connection'));
    await expect(asked).rejects.toThrow('no connection');
    const again = revoked.has('a');
    endRead(['a']);
    await expect(again).resolves.toBe(true);
  });
});
