import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startControllerProcess, type ControllerProcess } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { keysOf, networkCertificate } from '../../trust/auth/certificates.js';
import {
  authenticate,
  loggedIn,
  newPerson,
  outcome,
  PASSWORD,
  passwordLogin,
  runSql,
  sessionIn,
} from '../../trust/auth/client.js';
import { LoginClient } from '../../trust/oidc/login-client.js';

/** Identities that end by themselves, at two controllers of one network. */

let first: ControllerProcess & { dataDir: string };
let second: ControllerProcess;

beforeAll(async () => {
  first = await startControllerProcess();
  second = await startControllerProcess({ with: first });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

const inMillis = (millis: number): string => new Date(Date.now() + millis).toISOString();

const REFUSED = [401, 'INVALID_AUTH'];

describe('an identity whose time ends', () => {
  test('loses its sessions and tokens of every kind, and its ways to log in, at every controller', async () => {
    const person = await newPerson(first);
    const certificate = await networkCertificate(await keysOf(first), person.id);
    const { leaf: certPem } = certificate;
    await first.create('authenticators', { identityId: person.id, method: 'cert', certPem });
    const tokens = [
      (await loggedIn(first, person)).token,
      sessionIn(await authenticate(second, 'cert', { certificate })).token,
    ];
    const client = new LoginClient(second);
    const { refresh_token: refresh, access_token: access } = await client.logInByPassword(
      person.username,
      PASSWORD,
    );
    const statuses = async (on: ControllerProcess): Promise<number[]> => {
      const asked = [
        ...tokens.map((token) => ({ 'zt-session': token })),
        { 'zt-session': '', authorization: `Bearer ${access}` },
      ].map((headers) => on.rest('GET', '/edge/client/v1/current-identity', undefined, headers));
      return (await Promise.all(asked)).map(({ status }) => status);
    };
    expect(await statuses(first)).toEqual([200, 200, 200]);
    const written = await second.rest('PATCH', `/identities/${person.id}`, {
      validUntil: inMillis(1_500),
    });
    expect(written.status).toBe(200);
    for (const on of [first, second]) {
      await eventually(async () => {
        expect(await statuses(on)).toEqual([401, 401, 401]);
      });
    }
    expect((await client.refresh(refresh)).body.error).toBe('invalid_grant');
    for (const on of [first, second]) {
      expect(outcome(await passwordLogin(on, person))).toEqual(REFUSED);
      expect(outcome(await authenticate(on, 'cert', { certificate }))).toEqual(REFUSED);
    }
    const reason = await runSql(
      first,
      `select reason from change where entity_id = $1 and after -> 'isOutsideTimes' = 'true'`,
      [person.id],
    );
    expect(reason).toEqual([{ reason: 'the times of identities have begun or ended' }]);
    // Administrators see the reason.
    await eventually(async () => {
      const { data } = await first.graphql(
        '{ overview { failedLogins(first: 100) { nodes { identityId method refusal } } } }',
      );
      const { overview } = data as { overview: { failedLogins: { nodes: object[] } } };
      for (const method of ['password', 'cert']) {
        expect(overview.failedLogins.nodes).toContainEqual({
          ...{ identityId: person.id, method, refusal: 'IDENTITY_DISABLED' },
        });
      }
    });
  });

  test('while no controller runs is out from the first request on', async () => {
    const person = await newPerson(first, { validUntil: inMillis(3_600_000) });
    await loggedIn(first, person);
    await second.stop();
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    await runSql(
      first,
      `update identity set valid_until = valid_until - interval '2 hours',
        next_change_at = next_change_at - interval '2 hours' where id = $1`,
      [person.id],
    );
    second = await startControllerProcess({ with: first });
    expect(outcome(await passwordLogin(second, person))).toEqual(REFUSED);
  });
});
