import { createHash, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { importPKCS8, SignJWT } from 'jose';
import { eventually } from '../../support/eventually.js';
import { ask } from '../../trust/oidc/login-client.js';
import {
  canRun,
  ClientNetwork,
  flowing,
  LINES,
  PATIENCE_MS,
  type Client,
} from '../client-network.js';
import { answers, type Flow } from '../real-network.js';

/*
 * What ends the traffic of a client, and how soon: bytes flow over a real router of each line, and the client
 * loses its access. `OVERGRAPH_ZITI` and `OVERGRAPH_ZITI_2` name the `ziti` programs.
 */

const MAX_MS = 1_000;
/** Milliseconds that an access still lasts: the write of its end takes a part of them. */
const LASTING_MS = 3_000;
const ASSIGNMENT = 'its role assignment';
const FIT = 'fit';

type Loss = (network: ClientNetwork, client: Client) => Promise<void>;

const LOSSES = {
  'its policy': (network, { policy }) => network.change('DELETE', `/service-policies/${policy}`),
  'its place in the policy': (network, { policy }) =>
    network.change('PATCH', `/service-policies/${policy}`, { identityRoles: ['#others'] }),
  'its role': (network, { identity }) =>
    network.change('PATCH', `/identities/${identity}`, { roleAttributes: [] }),
  'its posture': (network, { policy }) =>
    network.change('PATCH', `/service-policies/${policy}`, {
      postureCheckRoles: [`@${network.failingCheck}`],
    }),
  'its enabled identity': (network, { identity }) =>
    network.change('POST', `/identities/${identity}/disable`, { durationMinutes: 0 }),
  'its identity': (network, { identity }) => network.change('DELETE', `/identities/${identity}`),
  'its service': (network, { service }) => network.change('DELETE', `/services/${service}`),
  'its API session': async (network, { identity }) => {
    for (const id of await network.sessionsOf(identity)) {
      await network.change('DELETE', `/api-sessions/${id}`);
    }
  },
  'its API session by a revocation': async (network, { identity }) => {
    for (const id of await network.sessionsOf(identity)) {
      await network.change('POST', '/revocations', { type: 'API_SESSION', id });
    }
  },
  'all its API sessions by a revocation': (network, { identity }) =>
    network.change('POST', '/revocations', { type: 'IDENTITY', id: identity }),
} satisfies Record<string, Loss>;

const OIDC_LOSSES = {
  'its API session by a logout': async (network, { identity }) => {
    for (const id of await network.sessionsOf(identity)) await logOut(network, id);
  },
} satisfies Record<string, Loss>;

/** The name of a client, by what it loses. */
const nameOf = (what: string): string => what.replaceAll(' ', '-');

/** Ends that come by themselves. */
const ENDS: Readonly<
  Record<string, (network: ClientNetwork, client: Client, end: string) => Promise<void>>
> = {
  [ASSIGNMENT]: (network, { assignment }, activeUntil) =>
    network.change('PATCH', `/role-assignments/${String(assignment)}`, { activeUntil }),
  // REST has no times of policies.
  'the time of its policy': async ({ controller }, { policy: id }, validUntil) => {
    const text = `mutation ($id: ID!, $input: UpdateServicePolicyInput!) {
      updateServicePolicy(id: $id, input: $input) { id } }`;
    const { errors } = await controller.graphql(text, { id, input: { validUntil } });
    expect(errors).toBeUndefined();
  },
  'the time of its identity': (network, { identity }, validUntil) =>
    network.change('PATCH', `/identities/${identity}`, { validUntil }),
};

/** Ends a session as its client does, by the ID token of the login. */
async function logOut({ controller, dataDir }: ClientNetwork, session: string): Promise<void> {
  const [key, certificate] = await Promise.all(
    ['server.key', 'server.pem'].map((name) => readFile(join(dataDir, 'pki', name), 'utf8')),
  );
  const { raw, publicKey } = new X509Certificate(certificate ?? '');
  const alg = publicKey.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
  const kid = createHash('sha1').update(raw).digest('hex');
  const token = await new SignJWT({ azp: 'native', z_asid: session })
    .setProtectedHeader({ alg, kid })
    .sign(await importPKCS8(key ?? '', alg));
  const form = { id_token_hint: token };
  const { status, text } = await ask(controller.port, 'POST', '/oidc/end_session', { form });
  if (status >= 400) throw new Error(text);
}

for (const line of LINES) {
  (canRun(line) ? describe : describe.skip)(`over a real router of version ${line.name}`, () => {
    const losses: Readonly<Record<string, Loss>> = {
      ...LOSSES,
      ...(line.isOidc ? OIDC_LOSSES : {}),
    };
    let network: ClientNetwork;
    beforeAll(async () => {
      const names = [...Object.keys({ ...losses, ...ENDS }).map(nameOf), FIT];
      network = await ClientNetwork.open(line, names, [nameOf(ASSIGNMENT)]);
    }, 300_000);
    afterAll(() => network.close());

    /** Waits for the end of a flow; gives the milliseconds from the loss to it. */
    const endOf = async (flow: Flow, what: string, lostAt: number): Promise<number> => {
      await eventually(() => {
        expect(flow.isCut).toBe(true);
      }, PATIENCE_MS);
      const millis = Date.now() - lostAt;
      process.stderr.write(`${line.name}: ${what}: ${String(millis)} ms\n`);
      return millis;
    };

    test.each(Object.entries(losses))(
      'bytes of a client that loses %s end within a second',
      async (what, lose) => {
        const client = network.client(nameOf(what));
        const flow = await flowing(client.port);
        const lostAt = Date.now();
        await lose(network, client);
        expect(await endOf(flow, what, lostAt)).toBeLessThan(MAX_MS);
      },
      120_000,
    );

    test.each(Object.entries(ENDS))(
      'bytes of a client end within a second after %s',
      async (what, setEnd) => {
        const client = network.client(nameOf(what));
        const flow = await flowing(client.port);
        const lostAt = Date.now() + LASTING_MS;
        await setEnd(network, client, new Date(lostAt).toISOString());
        const millis = await endOf(flow, `the end of ${what}`, lostAt);
        expect(millis).toBeGreaterThanOrEqual(0);
        expect(millis).toBeLessThan(MAX_MS);
      },
      120_000,
    );

    // Others are refused until the controller knows their device.
    (line.isOidc ? test : test.skip)(
      'a client reaches its service when its policy gets a check that its device passes',
      async () => {
        const { policy, port } = network.client(FIT);
        const check = await network.controller.create('posture-checks', {
          name: 'a device that runs the client',
          typeId: 'PROCESS',
          process: { osType: 'Linux', path: line.clients, hashes: [] },
        });
        await network.change('PATCH', `/service-policies/${policy}`, {
          postureCheckRoles: [`@${check}`],
        });
        const { tookMs } = await answers(port);
        process.stderr.write(`${line.name}: a check that passes: ${String(tookMs)} ms\n`);
      },
      120_000,
    );
  });
}
