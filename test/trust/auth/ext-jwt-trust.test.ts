import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { update, remove } from '../../access/enforcement/dialling.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import type { InProcess } from '../../support/in-process.js';
import { newKey } from './certificates.js';
import { contextOf, MINUTE, newUser, TestClock } from './in-process-logins.js';
import { KeySetServer, OutsideSigner } from './signers.js';

/*
 * Two controllers trust the same signers: neither learns of what the other one writes, as between two
 * polls of the change feed.
 */

const SECOND = 1_000;
const clock = new TestClock(Date.now());

let two: TwoInProcess;
let keySets: KeySetServer;
let both: readonly InProcess[];

beforeAll(async () => {
  [two, keySets] = await Promise.all([startTwo({ now: clock.now }), KeySetServer.listen()]);
  both = [two.controller, two.other];
});
afterAll(() => Promise.all([two.stop(), keySets.stop()]));

const LOGIN = 'mutation { authenticate(method: "ext-jwt", input: {}) { identityId } }';

/** What comes of a login with the JWT at each controller. */
const outcomes = (jwt: string): Promise<string[]> =>
  Promise.all(
    both.map(async (controller) => {
      const ctx = await contextOf(controller, { authorization: `Bearer ${jwt}` });
      const { errors, messages } = await controller.graph(LOGIN, {}, ctx);
      return messages.length === 0 ? 'in' : (errors[0]?.code ?? String(messages[0]));
    }),
  );
const IN = ['in', 'in'];
const REFUSED = ['UNAUTHORIZED', 'UNAUTHORIZED'];

let count = 0;

/** A signer by key set that both controllers have used, and a JWT that lets in a user. */
async function trusted() {
  count += 1;
  const path = `${keySets.url}?${String(count)}`;
  const [user, signer] = await Promise.all([
    newUser(two.controller, `outsider ${String(count)}`),
    OutsideSigner.create(`issuer-${String(count)}`),
  ]);
  keySets.keys.clear();
  keySets.keys.set(signer.kid, signer.key);
  const settings = signer.settingsBy(path);
  const id = await two.controller.create('ExternalJwtSigner', settings);
  const jwtBy = (key = signer.key, kid = signer.kid) =>
    signer.jwt(user.id, {}, { key, kid, expiresIn: 86_400 });
  const jwt = await jwtBy();
  expect(await outcomes(jwt)).toEqual(IN);
  return { id, signer, settings, jwt, jwtBy };
}

describe('every controller', () => {
  test('takes a key that was replaced under the same id, and not the one before', async () => {
    const { signer, jwt, jwtBy } = await trusted();
    const key = newKey();
    keySets.keys.set(signer.kid, key);
    clock.advance(SECOND);
    expect(await outcomes(await jwtBy(key))).toEqual(IN);
    expect(await outcomes(jwt)).toEqual(REFUSED);
  });

  test('takes a removed key no more after the grace', async () => {
    const { jwt } = await trusted();
    keySets.keys.clear();
    clock.advance(MINUTE);
    expect(await outcomes(jwt)).toEqual(IN);
    clock.advance(5 * MINUTE);
    expect(await outcomes(jwt)).toEqual(REFUSED);
  });

  test.each(['jwksEndpoint', 'claimsProperty', 'scopes'] as const)(
    'reads the keys again after a change of %s at one of them',
    async (member) => {
      const { id, signer, jwt, jwtBy } = await trusted();
      const key = newKey();
      keySets.keys.clear();
      keySets.keys.set('new', key);
      const changes = {
        jwksEndpoint: `${keySets.url}?moved`,
        claimsProperty: 'sub',
        scopes: ['openid', 'email'],
      };
      await update(two.other, 'ExternalJwtSigner', id, { [member]: changes[member] });
      expect(await outcomes(await jwtBy(key, 'new'))).toEqual(IN);
      expect(await outcomes(jwt)).toEqual(REFUSED);
      expect(signer.kid).not.toBe('new');
    },
  );

  test('reads the keys of a signer that is made anew', async () => {
    const { id, settings, jwt } = await trusted();
    keySets.keys.clear();
    await remove(two.other, 'ExternalJwtSigner', id);
    expect(await outcomes(jwt)).toEqual(REFUSED);
    await two.other.create('ExternalJwtSigner', settings);
    expect(await outcomes(jwt)).toEqual(REFUSED);
  });

  test('takes tokens from a clock that is 29 s ahead or behind', async () => {
    const { signer } = await trusted();
    const user = await newUser(two.controller, 'in time');
    const seconds = Math.floor(clock.now().getTime() / SECOND);
    const ahead = { iat: seconds + 29, nbf: seconds + 29 };
    expect(await outcomes(await signer.jwt(user.id, ahead, { expiresIn: 86_400 }))).toEqual(IN);
    const late = { ...ahead, nbf: seconds + 31 };
    expect(await outcomes(await signer.jwt(user.id, late, { expiresIn: 86_400 }))).toEqual(REFUSED);
  });
});
