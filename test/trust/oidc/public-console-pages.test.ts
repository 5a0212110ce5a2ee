import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { members, misfits } from '../../rest/support/shapes.js';
import { startController, type TestController } from '../../support/controller.js';
import { newAuthority } from '../auth/certificates.js';
import { MfaHolder } from '../auth/mfa-holder.js';
import { PublicConsole } from './public-console-client.js';
import { FORMS } from './public-console-forms.js';

/*
 * The pages of the console of OpenZiti 4.5.2 for an administrator who logged in with a second factor: the addresses
 * and bodies are those that a browser sent.
 */

let controller: TestController & { dataDir: string };
let own: PublicConsole;
let token: string;
let certPem: string;

beforeAll(async () => {
  controller = await startController({
    env: { OVERGRAPH_LOGIN_LIMIT: '0', OVERGRAPH_OIDC: 'announce' },
  });
  const holder = await MfaHolder.create(controller, { isAdmin: true });
  const { secret } = await holder.complete();
  own = new PublicConsole(controller);
  ({ access_token: token } = await own.logIn(holder, secret));
  certPem = (await newAuthority('office')).cert.toString();
});
afterAll(() => controller.stop());

const MANAGEMENT = '/edge/management/v1';

async function answer(method: string, path: string, json?: unknown): Promise<unknown> {
  const { status, body } = await own.send(method, encodeURI(`${MANAGEMENT}/${path}`), token, json);
  expect([method, path, status, body.error]).toEqual([
    method,
    path,
    method === 'POST' ? 201 : 200,
    undefined,
  ]);
  return body.data;
}

test.each(FORMS)('$page: an entry is made, listed, opened, changed and deleted', async (form) => {
  const { collection, create, edit, reads } = form;
  const name = `of ${form.page}`;
  const authority = collection === 'cas' ? { certPem } : {};
  const made = await answer('POST', collection, { name, ...create, ...authority });
  const { id } = made as { id: string };
  const query = `?filter= name icontains "${name}"&limit=50&offset=0&sort=name  asc`;
  const entries = (await answer('GET', collection + query)) as unknown[];
  expect(entries).toHaveLength(1);
  expect(misfits(entries[0], members(reads))).toEqual([]);
  expect(await answer('GET', `${collection}/${id}//`)).toEqual(entries[0]);
  const [method, change] = edit;
  await answer(method, `${collection}/${id}`, { name: `${name} 2`, ...change, ...authority });
  expect(await answer('GET', `${collection}/${id}//`)).toMatchObject({ id, name: `${name} 2` });
  await answer('DELETE', `${collection}/${id}`);
  expect(await answer('GET', `${collection}?limit=-1&offset=0&sort=name asc`)).not.toContainEqual(
    expect.objectContaining({ id }),
  );
});
