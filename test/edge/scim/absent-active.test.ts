import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { startController, type TestController } from '../../support/controller.js';
import { Provider, unique } from './provider.js';

/** Requests that do not say whether a user is active (RFC 7644 3.5.1 and 3.5.2). */

let controller: TestController;
let provider: Provider;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());
beforeEach(async () => {
  provider = await Provider.start(controller);
});

const PATCHES: readonly (readonly [string, Row])[] = [
  ['replaces it by null', { op: 'replace', path: 'active', value: null }],
  ['replaces it by null without a path', { op: 'replace', value: { active: null } }],
  ['adds null', { op: 'add', path: 'active', value: null }],
  ['removes it', { op: 'remove', path: 'active' }],
  ['removes a member that it does not have', { op: 'remove', path: 'active.value' }],
];

describe.each([true, false])('a user whose "active" is %s', (active) => {
  const stays = async (id: string): Promise<void> => {
    expect((await provider.call('GET', `/Users/${id}`)).body).toMatchObject({ active });
    expect(await provider.identity(id)).toMatchObject({ disabled: !active });
  };

  test.each(PATCHES)('stays so after a PATCH that %s', async (_name, operation) => {
    const id = await provider.user({ active });
    const answer = await provider.patch(`/Users/${id}`, operation);
    expect(answer).toMatchObject({ status: 200, body: { active } });
    await stays(id);
  });

  test.each([
    ['without it', {}],
    ['with null', { active: null }],
  ])('stays so after a PUT %s', async (_name, sent) => {
    const id = await provider.user({ active });
    const userName = unique('renamed');
    const answer = await provider.call('PUT', `/Users/${id}`, { userName, ...sent });
    expect(answer).toMatchObject({ status: 200, body: { userName, active } });
    await stays(id);
  });
});

test.each([
  ['without it', {}],
  ['with null', { active: null }],
])('a new user %s is active', async (_name, sent) => {
  const id = await provider.user(sent);
  expect((await provider.call('GET', `/Users/${id}`)).body).toMatchObject({ active: true });
  expect(await provider.identity(id)).toMatchObject({ disabled: false });
});
