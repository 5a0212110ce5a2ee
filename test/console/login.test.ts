import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { keysOf, networkCertificate } from '../trust/auth/certificates.js';
import { authPolicy, newPerson, PASSWORD } from '../trust/auth/client.js';
import { ADMIN_PASSWORD } from '../support/controller.js';
import { LoginProvider } from '../support/login-provider.js';
import { inBrowser, longTest, useConsole } from './support/console-in-browser.js';

/** Login, session and frame of the console in a browser. */

const opened = useConsole();

let provider: LoginProvider;
let signer: string;

beforeAll(async () => {
  provider = await LoginProvider.listen();
});
afterAll(() => provider.stop());

/** An administrator who logs in by other ways than a password. */
const newAdmin = (name: string): Promise<string> =>
  opened.controller.create('identities', { name, type: 'Default', isAdmin: true });

/** What the tab keeps of a login that has not come back yet. */
const pendingLogin = () => opened.page.evaluate("sessionStorage.getItem('overgraph.login')");
const alert = (): Promise<string> => opened.page.getByRole('alert').innerText();

/** Logs out where somebody is logged in, and goes to a page that needs a login. */
async function leaveTo(path: string): Promise<void> {
  await opened.page.evaluate('sessionStorage.clear()');
  await opened.open(path);
  await opened.page.getByLabel('Name').waitFor();
}

async function logInAtAcme(): Promise<void> {
  await opened.page.getByRole('button', { name: 'Log in at acme' }).click();
}

const SERVICE = { name: 'atlas', encryptionRequired: true };

const dialog = () => opened.page.getByRole('dialog', { name: 'Your session has ended' });

/** Ends the session of the page at the controller. */
async function endSession(): Promise<void> {
  const token = String(await storedToken());
  const { data } = await opened.controller.graphql(
    '{ currentApiSession { id } }',
    {},
    { 'zt-session': token },
  );
  const { currentApiSession } = data as { currentApiSession: { id: string } };
  await opened.controller.rest('DELETE', `/api-sessions/${currentApiSession.id}`);
}

/** Logs in over the page; its own form may have a name, too. */
async function logInAgain(): Promise<void> {
  await dialog().getByLabel('Name').fill('admin');
  await dialog().getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
  await dialog().getByRole('button', { name: 'Log in', exact: true }).click();
  await dialog().waitFor({ state: 'detached' });
}

/** Whether the browser would ask before it leaves the page. */
const isAskedBeforeUnload = () =>
  opened.page.evaluate<boolean>(`
    const leaving = new Event('beforeunload', { cancelable: true });
    !window.dispatchEvent(leaving)
  `);

/** The message that the edit was refused. */
const refusal = () => opened.page.locator('main').getByRole('alert', { includeHidden: true });

const saveEdit = (): Promise<void> => opened.page.getByRole('button', { name: 'Save' }).click();

const storedToken = () => opened.page.evaluate("sessionStorage.getItem('overgraph.session')");

inBrowser('the console', () => {
  test('says why a login failed, with the id of the request', async () => {
    await opened.logIn('not the password');
    await expect(opened.page.getByRole('alert').innerText()).resolves.toMatch(/Request \S+/);
    await expect(storedToken()).resolves.toBeNull();
  });

  test('shows the counts of the graph after a login', async () => {
    await opened.controller.create('services', { name: 'wiki', encryptionRequired: true });
    await opened.logIn(ADMIN_PASSWORD);
    const row = opened.page.getByRole('row', { name: /^Services/ });
    await row.waitFor();
    const { data } = await opened.controller.graphql('{ services { totalCount } }');
    const { services } = data as { services: { totalCount: number } };
    expect(await row.innerText()).toMatch(new RegExp(`\\b${String(services.totalCount)}$`));
  });

  test('keeps its session over a reload, and out of the address', async () => {
    const token = String(await storedToken());
    await opened.page.reload();
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(opened.page.url()).not.toContain(token);
    await expect(storedToken()).resolves.toBe(token);
  });

  test('goes on when a link brings an answer to a login that nobody began', async () => {
    await opened.open('?code=stolen&state=forged');
    await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(opened.page.url()).not.toContain('stolen');
  });

  longTest('shows its keys, and closes them', async () => {
    await opened.page.keyboard.press('?');
    await opened.page.getByRole('dialog').waitFor();
    await opened.page.keyboard.press('Escape');
    await opened.page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('asks again when the session has ended, over the page as it is', async () => {
    await endSession();
    await dialog().waitFor();
    await expect(
      opened.page.getByRole('heading', { name: 'Overview', includeHidden: true }).count(),
    ).resolves.toBe(1);
    await logInAgain();
  });

  longTest(
    'loses nothing that was typed when the session ends in the middle of an edit',
    async () => {
      const id = await opened.controller.create('services', SERVICE);
      await opened.open(`/edit/services/${id}`);
      const name = opened.page.locator('main').getByLabel('Name');
      await name.fill('atlas two');
      await expect(isAskedBeforeUnload()).resolves.toBe(true);
      await endSession();
      await saveEdit();
      await dialog().waitFor();
      await expect(isAskedBeforeUnload()).resolves.toBe(false);
      await expect(refusal().count()).resolves.toBe(1);
      await logInAgain();
      await expect(refusal().count()).resolves.toBe(0);
      await expect(name.inputValue()).resolves.toBe('atlas two');
      await saveEdit();
      await opened.page.getByRole('heading', { name: 'atlas two' }).waitFor();
      const { body } = await opened.controller.rest('GET', `/services/${id}`);
      expect(body.data).toMatchObject({ name: 'atlas two' });
    },
  );

  longTest('does not undo what others changed while the session was over', async () => {
    const id = await opened.controller.create('services', { ...SERVICE, name: 'borealis' });
    await opened.open(`/edit/services/${id}`);
    const name = opened.page.locator('main').getByLabel('Name');
    await name.fill('borealis two');
    await endSession();
    await saveEdit();
    await dialog().waitFor();
    const roleAttributes = ['of-others'];
    await opened.controller.rest('PATCH', `/services/${id}`, { roleAttributes });
    await logInAgain();
    await opened.page.waitForLoadState('networkidle');
    await saveEdit();
    await opened.page.getByText('was changed by somebody else').waitFor();
    await expect(name.inputValue()).resolves.toBe('borealis two');
    const { body } = await opened.controller.rest('GET', `/services/${id}`);
    expect(body.data).toMatchObject({ name: 'borealis', roleAttributes });
  });

  longTest(
    'keeps what was typed about an entity that was deleted while the session was over',
    async () => {
      const { controller, page } = opened;
      const id = await controller.create('services', { ...SERVICE, name: 'cirrus' });
      await opened.open(`/edit/services/${id}`);
      const name = page.locator('main').getByLabel('Name');
      await name.fill('cirrus two');
      await endSession();
      await saveEdit();
      await dialog().waitFor();
      await controller.rest('DELETE', `/services/${id}`);
      await logInAgain();
      await page
        .getByRole('alert')
        .getByText(/Request/)
        .first()
        .waitFor();
      await expect(name.inputValue()).resolves.toBe('cirrus two');
    },
  );

  test('ends the session at the controller on logout, after a question about what is typed', async () => {
    const id = await opened.controller.create('services', { ...SERVICE, name: 'draco' });
    await opened.open(`/edit/services/${id}`);
    await opened.page.locator('main').getByLabel('Name').fill('draco two');
    const token = String(await storedToken());
    await opened.page.getByRole('button', { name: 'Log out' }).click();
    await opened.page.getByRole('button', { name: 'Leave' }).click();
    await opened.page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
    await expect(storedToken()).resolves.toBeNull();
    const answer = await opened.controller.graphql(
      '{ currentApiSession { id } }',
      {},
      { 'zt-session': token },
    );
    expect(answer.errors?.[0]?.extensions.code).toBe('UNAUTHORIZED');
  });

  test('logs in at an external signer, and goes back to the page that was asked for', async () => {
    provider.subject = await newAdmin('Zoe Outside');
    signer = await opened.controller.create('external-jwt-signers', provider.settings);
    await leaveTo('/ask?service=x');
    await logInAtAcme();
    await opened.page.getByRole('link', { name: 'Zoe Outside' }).waitFor();
    expect(new URL(opened.page.url()).pathname).toBe('/console/ask');
    expect(opened.page.url()).toContain('service=x');
    await expect(pendingLogin()).resolves.toBeNull();
    expect(Object.fromEntries(provider.asked)).toEqual({
      response_type: 'code',
      client_id: 'overgraph-console',
      redirect_uri: new URL('/console', opened.page.url()).href,
      scope: 'openid profile',
      audience: 'overlay',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  longTest('sends the ID token where the signer wants it', async () => {
    await opened.controller.rest('PATCH', `/external-jwt-signers/${signer}`, {
      targetToken: 'ID',
      audience: 'overgraph-console',
    });
    await leaveTo('/');
    await logInAtAcme();
    await opened.page.getByRole('link', { name: 'Zoe Outside' }).waitFor();
    expect(provider.asked.get('audience')).toBeNull();
  });

  test.each([
    ['denied', 'acme refused the login: not today'],
    ['wrong state', 'acme answered in a way that this page does not accept.'],
    ['wrong nonce', 'acme answered in a way that this page does not accept.'],
  ] as const)('says why a signer gave no login: %s', async (answer, words) => {
    provider.answer = answer;
    await leaveTo('/');
    await logInAtAcme();
    await opened.page.getByRole('alert').waitFor();
    expect(await alert()).toContain(words);
    expect(new URL(opened.page.url()).search).toBe('');
    await expect(pendingLogin()).resolves.toBeNull();
    await expect(storedToken()).resolves.toBeNull();
  });

  longTest('says that no identity belongs to a login', async () => {
    provider.answer = 'code';
    provider.subject = 'nobody';
    await leaveTo('/');
    await logInAtAcme();
    await opened.page.getByRole('alert').waitFor();
    expect(await alert()).toMatch(/does not accept the token of acme[^]*Request \S+/);
  });

  longTest('takes no answer to a login that it did not begin', async () => {
    await opened.open('?code=stolen&state=forged');
    await opened.page.getByRole('alert').waitFor();
    expect(await alert()).toContain('did not begin the login');
    expect(opened.page.url()).not.toContain('stolen');
  });

  longTest('says that it can not send a token of a signer as a second factor', async () => {
    const secondary = { requireExtJwtSigner: signer };
    const policy = authPolicy({ secondary });
    const authPolicyId = await opened.controller.create('auth-policies', policy);
    const { username } = await newPerson(opened.controller, { authPolicyId });
    await leaveTo('/');
    await opened.page.getByLabel('Name').fill(username);
    await opened.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await opened.page.getByRole('button', { name: 'Log in', exact: true }).click();
    await opened.page.getByRole('alert').waitFor();
    expect(await alert()).toContain('a factor that this page can not send');
    await expect(opened.page.getByRole('textbox').count()).resolves.toBe(0);
    await expect(storedToken()).resolves.toBeNull();
    await opened.page.getByRole('button', { name: 'Log in as another' }).click();
    await opened.page.getByLabel('Name').waitFor();
  });

  test('says what may be wrong when a browser has no certificate', async () => {
    await opened.page.getByRole('button', { name: 'Log in with a certificate' }).click();
    await opened.page.getByText('the browser has no certificate').waitFor();
    expect(await alert()).toMatch(/Request \S+/);
  });

  test('logs in by a certificate of the browser', async () => {
    const id = await newAdmin('Cleo Certified');
    const certificate = await networkCertificate(await keysOf(opened.controller), id);
    const authenticator = { identityId: id, method: 'cert', certPem: certificate.leaf };
    await opened.controller.create('authenticators', authenticator);
    await opened.useCertificate(certificate);
    await opened.page.getByRole('button', { name: 'Log in with a certificate' }).click();
    await opened.page.getByRole('link', { name: 'Cleo Certified' }).waitFor();
  });

  test('met no refusal of the content security policy and no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
