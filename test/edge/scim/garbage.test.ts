import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import { Provider } from './provider.js';

/* Requests of a provider with a fault: each is refused in the form of SCIM, and never a fault of the controller. */

let controller: TestController;
let provider: Provider;
let user: string;
let group: string;

beforeAll(async () => {
  controller = await startController();
  provider = await Provider.start(controller);
  user = await provider.user();
  group = await provider.group('staff', [user]);
});
afterAll(() => controller.stop());

const nested = (levels: number): unknown => (levels === 0 ? 'x' : { a: nested(levels - 1) });
const filter = (text: string): string => `/Users?filter=${encodeURIComponent(text)}`;

test.each<[string, () => Parameters<Provider['call']>]>([
  ['a name with NUL', () => ['POST', '/Users', { userName: 'a\0b' }]],
  ['an attribute with a lone surrogate', () => ['POST', '/Users', { userName: 'a', x: '\ud800' }]],
  ['an attribute with NUL in its name', () => ['POST', '/Users', { userName: 'a', 'x\0': 1 }]],
  ['nesting', () => ['POST', '/Users', { userName: 'a', x: nested(40) }]],
  ['a large attribute', () => ['POST', '/Users', { userName: 'a', x: 'x'.repeat(70_000) }]],
  [
    'a large attribute of a group',
    () => ['POST', '/Groups', { displayName: 'a', x: 'x'.repeat(70_000) }],
  ],
  ['a list for a body', () => ['POST', '/Users', []]],
  ['a number for a name', () => ['POST', '/Users', { userName: 7 }]],
  [
    'an unknown member',
    () => ['POST', '/Groups', { displayName: 'a', members: [{ value: 'b\0' }] }],
  ],
  ['a filter with NUL', () => ['GET', filter('userName eq "a\0"')]],
  ['a filter with an escaped NUL', () => ['GET', filter('userName eq "a\\u0000"')]],
  ['a filter that is none', () => ['GET', filter('userName equals')]],
  ['a deep filter', () => ['GET', filter('('.repeat(1_900))]],
  [
    'a path that is none',
    () => ['PATCH', `/Users/${user}`, { Operations: [{ op: 'add', path: 'a[', value: 1 }] }],
  ],
  [
    'an operation that is none',
    () => ['PATCH', `/Groups/${group}`, { Operations: [{ op: 'move' }] }],
  ],
  ['operations that are none', () => ['PATCH', `/Users/${user}`, { Operations: {} }]],
])('%s is refused with 400', async (_, request) => {
  const { status, headers, body } = await provider.call(...request());
  expect(headers['content-type']).toBe('application/scim+json');
  expect({ status, ...body }).toMatchObject({
    status: '400',
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    detail: expect.stringMatching(/./),
  });
  expect(status).toBe(400);
});

test.each([`/Users/a%00b`, `/Groups/%ff`, '/Users/a/b', '/Nothing', '/Users/__proto__'])(
  '%s does not exist',
  async (path) => {
    expect((await provider.call('GET', path)).status).toBe(404);
  },
);

test.each(['Users', 'Groups'])('a page of %s behind the last one is empty', async (name) => {
  const call = async (query: string) => (await provider.call('GET', `/${name}?${query}`)).body;
  expect(await call('')).toMatchObject({ totalResults: 1, startIndex: 1, itemsPerPage: 1 });
  for (const startIndex of [2, 3_000_000_000, Number.MAX_SAFE_INTEGER]) {
    const empty = { totalResults: 1, startIndex, itemsPerPage: 0, Resources: [] };
    for (const more of ['', '&filter=id%20pr', '&count=3000000000']) {
      expect(await call(`startIndex=${String(startIndex)}${more}`)).toMatchObject(empty);
    }
  }
  const large = '9'.repeat(400);
  expect(await call(`startIndex=${large}`)).toMatchObject({ totalResults: 1, itemsPerPage: 0 });
  expect(await call(`count=${large}`)).toMatchObject({ totalResults: 1, itemsPerPage: 1 });
});

test('long lists that many operations repeat cost no more than they are long', async () => {
  const value = Array.from({ length: 5_000 }, (_, i) => i);
  const operations = Array.from({ length: 30 }, () => ({ op: 'add', path: 'numbers', value }));
  expect((await provider.patch(`/Users/${user}`, ...operations)).status).toBe(200);
  const { body } = await provider.call('GET', `/Users/${user}`);
  expect(body.numbers).toEqual(value);
});
