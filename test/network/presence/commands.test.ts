import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { insertIn, originOf } from '../../../src/kernel/write/write.js';
import { newCsr, newKey } from '../../trust/auth/certificates.js';
import { inSession } from '../../trust/auth/in-process-logins.js';
import type { KnownApiSession } from '../../../src/data/rows/api-session/index.js';
import { PLAIN_PASSWORDS } from '../../support/auth-settings.js';
import { eventually } from '../../support/eventually.js';
import type { InProcess } from '../../support/in-process.js';
import { Recorder, TwoControllers } from './two-controllers.js';

/* What channels at one controller are told of sessions that change at the other. */

let network: TwoControllers;
let first: InProcess;
let second: InProcess;
let channel: Recorder;
let detach: (() => void) | undefined;
let identityId: string;

beforeAll(async () => {
  network = await TwoControllers.start();
  ({ first, second } = network);
});
afterAll(() => network.stop());
beforeEach(async () => {
  detach?.();
  channel = new Recorder();
  detach = first.parts.presence.attach(channel);
  identityId = await network.person();
});

const announced = (id: string): Promise<KnownApiSession> =>
  eventually(() => {
    const session = channel.changed.findLast((s) => s.id === id);
    if (!session) throw new Error('not announced yet');
    return session;
  }).then(({ value }) => value);

const ofIdentity = (id: string) => (change: KnownApiSession) => change.identityId === id;

/** A certificate of the identity, as enrollment stores it. */
async function certificate(on: InProcess, fingerprint: string): Promise<void> {
  const ctx = on.ctx();
  await ctx.store.write(originOf(ctx), (tx) =>
    insertIn(tx, ctx.catalog.resources.Authenticator, {
      id: `cert-${fingerprint}`,
      identityId,
      method: 'cert',
      certPem: 'a certificate',
      fingerprint,
    }),
  );
}

describe('a new API session', () => {
  test.each(['first', 'second'] as const)('at the %s controller is announced', async (where) => {
    const { id, token } = await network[where].openSession(identityId);
    expect(await announced(id)).toEqual({ id, token, identityId, fingerprints: [] });
  });

  test('is announced with all certificates that its clients may present', async () => {
    await certificate(second, network.unique('aa').replace(' ', ''));
    const { id } = await second.openSession(identityId);
    expect((await announced(id)).fingerprints).toHaveLength(1);
  });

  test('is announced once, though its own controller hears of it twice', async () => {
    const { id } = await first.openSession(identityId);
    await second.openSession(identityId);
    await eventually(() => {
      expect(channel.changed.filter(ofIdentity(identityId))).toHaveLength(2);
    });
    expect(channel.changed.filter((s) => s.id === id)).toHaveLength(1);
  });

  test('waits for its second factor', async () => {
    await first.parts.store.query(
      sql`update identity set is_mfa_enabled = true where id = ${identityId}::text`,
    );
    const { id } = await second.openSession(identityId);
    const { id: other } = await second.openSession(await network.person());
    await announced(other);
    expect(channel.changed.map((s) => s.id)).not.toContain(id);
  });

  test('waits for the second factor that its auth policy asks for', async () => {
    const policyId = await first.create('AuthPolicy', {
      name: network.unique('policy'),
      primary: PRIMARY,
      secondary: { requireTotp: true, requireExtJwtSigner: null },
    });
    await first.read(
      'mutation ($id: ID!, $policy: ID!) { updateIdentity(id: $id, input: { authPolicyId: $policy }) { id } }',
      { id: identityId, policy: policyId },
    );
    const { id } = await second.openSession(identityId);
    const { id: other } = await second.openSession(await network.person());
    await announced(other);
    expect(channel.changed.map((s) => s.id)).not.toContain(id);
  });
});

const PRIMARY = {
  cert: { allowed: true, allowExpiredCerts: true },
  extJwt: { allowed: false, allowedSigners: [] },
  updb: PLAIN_PASSWORDS,
};

describe('an API session', () => {
  test('is announced anew when its identity gets a certificate', async () => {
    const { id } = await second.openSession(identityId);
    expect((await announced(id)).fingerprints).toEqual([]);
    const fingerprint = network.unique('bb').replace(' ', '');
    await certificate(second, fingerprint);
    await eventually(async () => {
      expect((await announced(id)).fingerprints).toEqual([fingerprint]);
    });
  });

  test('is announced anew with a certificate of its own, and without it', async () => {
    const { id, token } = await second.openSession(identityId);
    const own = () => inSession(second, token);
    const made = await second.read<{ made: { id: string } }>(
      'mutation ($csr: String!) { made: createCurrentApiSessionCertificate(csr: $csr) { id } }',
      { csr: await newCsr(newKey()) },
      await own(),
    );
    await eventually(async () => {
      expect((await announced(id)).fingerprints).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/)]);
    });
    await second.read(
      'mutation ($id: ID!) { deleteCurrentApiSessionCertificate(id: $id) }',
      made.made,
      await own(),
    );
    await eventually(async () => {
      expect((await announced(id)).fingerprints).toEqual([]);
    });
  });

  test.each(['deleteApiSession', 'deleteIdentity'])('is removed by %s', async (name) => {
    const { id } = await second.openSession(identityId);
    await announced(id);
    const target = name === 'deleteIdentity' ? identityId : id;
    await second.read(`mutation ($id: ID!) { ${name}(id: $id) }`, { id: target });
    await eventually(() => {
      expect(channel.removed).toContain(id);
    });
  });

  test('takes its sessions with it', async () => {
    const { id } = await second.openSession(identityId);
    const serviceId = await first.create('Service', {
      name: network.unique('service'),
      encryptionRequired: true,
    });
    const ctx = second.ctx();
    const sessions = ['dial', 'bind'].map((kind) => `${kind}-${id}`);
    await ctx.store.write(originOf(ctx), async (tx) => {
      for (const [i, session] of sessions.entries()) {
        await insertIn(tx, ctx.catalog.resources.Session, {
          id: session,
          token: session,
          apiSessionId: id,
          identityId,
          serviceId,
          type: i === 0 ? 'Dial' : 'Bind',
        });
      }
    });
    const [dial, bind] = sessions;
    await second.read('mutation ($id: ID!) { deleteSession(id: $id) }', { id: dial });
    await eventually(() => {
      expect(channel.sessions).toEqual([dial]);
    });
    await second.read('mutation ($id: ID!) { deleteApiSession(id: $id) }', { id });
    await eventually(() => {
      expect([...channel.sessions].sort()).toEqual([bind, dial]);
      expect(channel.removed).toContain(id);
    });
  });
});

describe('the full state', () => {
  test('is read page by page, in the order of the ids', async () => {
    for (let i = 0; i < 3; i += 1) await second.openSession(identityId);
    const { presence } = first.parts;
    const all: KnownApiSession[] = [];
    for (let after = ''; ;) {
      const page = await presence.apiSessions(after, 2);
      all.push(...page);
      const last = page.at(-1);
      if (!last) break;
      expect(last.id > after).toBe(true);
      after = last.id;
    }
    expect(all.filter(ofIdentity(identityId))).toHaveLength(3);
    expect(all).toEqual(await presence.apiSessions('', 500));
  });
});
