import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  announcedSessions,
  type KnownApiSession,
} from '../../../src/data/rows/api-session/index.js';
import { newCsr, newKey } from '../../trust/auth/certificates.js';
import { inSession, login, newUser, TestClock } from '../../trust/auth/in-process-logins.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';
import {
  enrolled,
  extended,
  externallyNamed,
  fingerprintOf,
  logInWith,
  OtherAuthority,
  WAYS,
  type CertifiedSession,
} from './client-certificates.js';
import { Recorder, TwoControllers } from './two-controllers.js';

/*
 * Routers let a client in by the fingerprint of its certificate, which must be among those of its
 * session. The channel is at one controller, the logins are at the other one.
 */

let network: TwoControllers;
let second: InProcess;
let channel: Recorder;
let detach: (() => void) | undefined;

beforeAll(async () => {
  // Certificates of other authorities are valid by the clock of this machine.
  network = await TwoControllers.start(true, new TestClock(Date.now()));
  ({ second } = network);
});
afterAll(() => network.stop());
beforeEach(() => {
  detach?.();
  channel = new Recorder();
  detach = network.first.parts.presence.attach(channel);
});

/** The session as routers were told of it last. */
const announced = async (id: string): Promise<KnownApiSession> => {
  const { value } = await eventually(() => {
    const session = channel.changed.findLast((s) => s.id === id);
    if (!session) throw new Error('not announced yet');
    return session;
  });
  return value;
};

/** The session as a router gets it that connects now. */
async function inFullState(id: string): Promise<KnownApiSession | undefined> {
  const all = await network.first.parts.presence.apiSessions('', 1_000);
  return all.find((session) => session.id === id);
}

const print = ({ chain }: CertifiedSession): string => fingerprintOf(chain);

describe('routers are told of the certificate of a session', () => {
  test.each(WAYS)('whose client was %s', async (_, certificate) => {
    const session = await logInWith(second, await certificate(second));
    expect(await announced(session.id)).toEqual({
      id: session.id,
      token: session.token,
      identityId: session.identityId,
      fingerprints: [print(session)],
    });
    expect((await inFullState(session.id))?.fingerprints).toEqual([print(session)]);
  });

  test('whose client asked for it after a login with a password', async () => {
    const session = await login(second, await newUser(second, network.unique('user')));
    if (typeof session === 'string') throw new Error(session);
    const { made } = await second.read<{ made: { certificate: string } }>(
      'mutation ($csr: String!) { made: createCurrentApiSessionCertificate(csr: $csr) { certificate } }',
      { csr: await newCsr(newKey()) },
      await inSession(second, session.token),
    );
    await eventually(async () => {
      const { fingerprints } = await announced(session.id);
      expect(fingerprints).toEqual([fingerprintOf(made.certificate)]);
    });
  });
});

describe('the certificate of a login', () => {
  test('stays with its session when the client replaces it', async () => {
    const before = await logInWith(second, await enrolled(second));
    const chain = await extended(second, before);
    const after = await logInWith(second, chain);
    await eventually(async () => {
      const { fingerprints } = await announced(before.id);
      expect([...fingerprints].sort()).toEqual([print(before), print(after)].sort());
    });
    expect((await announced(after.id)).fingerprints).toEqual([print(after)]);
  });

  test('belongs to the session that it opened alone', async () => {
    const externalId = network.unique('external');
    const authority = await OtherAuthority.naming(second);
    const identityId = await second.create('Identity', {
      name: network.unique('person'),
      type: 'Default',
      isAdmin: false,
      externalId,
    });
    const logins = [
      await logInWith(second, await authority.leaf(externalId)),
      await logInWith(second, await authority.leaf(externalId)),
    ];
    for (const session of logins) {
      expect(session.identityId).toBe(identityId);
      expect((await announced(session.id)).fingerprints).toEqual([print(session)]);
      expect((await inFullState(session.id))?.fingerprints).toEqual([print(session)]);
    }
    const { id } = await second.openSession(identityId);
    expect((await announced(id)).fingerprints).toEqual([]);
  });

  test('leaves with its session', async () => {
    const session = await logInWith(second, await externallyNamed(second));
    await announced(session.id);
    await second.read('mutation ($id: ID!) { deleteApiSession(id: $id) }', { id: session.id });
    await eventually(() => {
      expect(channel.removed).toContain(session.id);
    });
    expect(await inFullState(session.id)).toBeUndefined();
    const { id } = await second.openSession(session.identityId);
    expect((await announced(id)).fingerprints).toEqual([]);
  });

  test('is none of the certificates that the client asked for', async () => {
    const session = await logInWith(second, await externallyNamed(second));
    const { apiSession } = await second.read<{ apiSession: { certificates: { nodes: object[] } } }>(
      'query ($id: ID!) { apiSession(id: $id) { certificates { nodes { id } } } }',
      { id: session.id },
    );
    expect(apiSession.certificates.nodes).toEqual([]);
  });

  test('is shown to operators with its session', async () => {
    const session = await logInWith(second, await externallyNamed(second));
    const { apiSession } = await second.read<{ apiSession: object }>(
      'query ($id: ID!) { apiSession(id: $id) { certificateFingerprint } }',
      { id: session.id },
    );
    expect(apiSession).toEqual({ certificateFingerprint: print(session) });
  });
});

describe('statements', () => {
  /** A controller that follows no changes, so that it asks for what a test asks it for. */
  let quiet: InProcess;

  beforeAll(async () => {
    quiet = await InProcess.start(network.first);
  });
  afterAll(() => quiet.stop());

  const counted = async (work: () => Promise<unknown>): Promise<number> => {
    const before = quiet.parts.database.statements;
    await work();
    return quiet.parts.database.statements - before;
  };

  test('are as many for a session with a certificate as for one without', async () => {
    const identityId = await network.person();
    const open = (session: { certificateFingerprint?: string }): Promise<unknown> =>
      quiet.openSession(identityId, session);
    const without = await counted(() => open({}));
    expect(await counted(() => open({ certificateFingerprint: 'ab'.repeat(20) }))).toBe(without);
  });

  test('are one for all sessions of an announcement or a page', async () => {
    const { store, presence } = quiet.parts;
    const { id, identityId } = await logInWith(second, await externallyNamed(second));
    const ids = [id, (await second.openSession(identityId)).id];
    expect(await counted(() => announcedSessions.of(store, ids, []))).toBe(1);
    expect(await counted(() => presence.apiSessions('', 1_000))).toBe(1);
  });
});
