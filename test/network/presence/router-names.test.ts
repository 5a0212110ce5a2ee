import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RouterHello } from '../../../src/data/rows/router/index.js';
import { newCsr, newKey } from '../../trust/auth/certificates.js';
import { LAPSE, TwoControllers } from './two-controllers.js';

/* Names that connected routers tell their clients, which no other router is certified for. */

let network: TwoControllers;
beforeAll(async () => {
  network = await TwoControllers.start(false);
});
afterAll(() => network.stop());

/** Says hello with addresses of `domain`, to the controller that is not asked below. */
async function connected(domain: string): Promise<RouterHello> {
  const hello = await network.router();
  const [listener] = hello.linkListeners;
  if (!listener) throw new Error('no link listener');
  await network.second.parts.presence.connect({
    ...hello,
    hostname: `Host.${domain}`,
    listeners: { tls: `tls://edge.${domain}:3022`, wss: `wss:10.1.1.1:3023` },
    linkListeners: [{ ...listener, address: `tls:link.${domain}:10080` }],
  });
  return hello;
}

/** The refusal of a server certificate with one name; undefined for none. */
async function refusalFor(routerId: string, token: string, value: string) {
  const key = newKey();
  const type = /^[\d.]+$/.test(value) ? 'ip' : 'dns';
  const { errors } = await network.first.graph(
    'mutation ($input: EnrollInput!) { enroll(method: "erott", input: $input) { cert } }',
    {
      input: {
        token,
        clientCsr: await newCsr(key, `CN=${routerId}`),
        serverCsr: await newCsr(key, `CN=${routerId}`, [{ type, value }]),
      },
    },
    network.first.anonymous(),
  );
  const detail = errors[0]?.detail;
  return detail?.kind === 'message' ? detail.message : undefined;
}

async function invited(id: string): Promise<string> {
  const { edgeRouter } = await network.first.read<{ edgeRouter: { enrollmentToken: string } }>(
    'query ($id: ID!) { edgeRouter(id: $id) { enrollmentToken } }',
    { id },
  );
  return edgeRouter.enrollmentToken;
}

const newRouter = (): Promise<string> =>
  network.first.create('EdgeRouter', { name: network.unique('router') });

describe('a name that a connected router tells its clients', () => {
  test.each([
    'edge.one.example',
    'EDGE.one.example.',
    'link.one.example',
    'host.one.example',
    '*.one.example',
    '10.1.1.1',
  ])('is not certified for another one: %s', async (name) => {
    await connected('one.example');
    const id = await newRouter();
    await expect(refusalFor(id, await invited(id), name)).resolves.toMatch(
      /^(DNS|IP):.* is a name of another router$/,
    );
  });

  test('is certified for that router itself', async () => {
    const { routerId } = await connected('two.example');
    await network.first.read('mutation ($id: ID!) { reEnrollEdgeRouter(id: $id) { id } }', {
      id: routerId,
    });
    const token = await invited(routerId);
    await expect(refusalFor(routerId, token, 'edge.two.example')).resolves.toBeUndefined();
  });

  test('stays its own when it was lost a moment ago', async () => {
    await connected('three.example');
    network.clock.advance(LAPSE + 1);
    const id = await newRouter();
    const token = await invited(id);
    await expect(refusalFor(id, token, 'edge.three.example')).resolves.toMatch(/another router/);
    await expect(refusalFor(id, token, 'other.three.example')).resolves.toBeUndefined();
  });
});
