import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { ApiError } from '../../../../src/base/errors.js';
import type { Row } from '../../../../src/base/row.js';
import { sql } from '../../../../src/base/sql.js';
import {
  bundleKey,
  bundleOf,
  newRoot,
  newServerCertificate,
  newSvid,
  pemOf,
  serveBundle,
} from '../../../support/bundle-server.js';
import { InProcess } from '../../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../../support/two-in-process.js';
import { remove, update } from '../../../access/enforcement/dialling.js';
import { newAuthority } from '../certificates.js';
import { authorityOf, enter, newTrustDomain, passSeconds, refresh, shown } from './trust-domain.js';

/* Authorities whose certificates come from the bundle that a trust domain publishes. The other clock is an hour ahead. */

let both: TwoInProcess;
let controller: InProcess;

beforeAll(async () => {
  both = await startTwo({}, { now: () => new Date(Date.now() + 3_600 * SECOND) });
  ({ controller } = both);
});
afterAll(() => both.stop());
// Each refresh downloads all bundles whose time has come.
afterEach(() => controller.parts.store.query(sql`delete from certificate_authority`));

const SECOND = 1_000;

/** The seconds until a time, to the nearest ten: the database has its own clock. */
const secondsUntil = (time: string | null | undefined): number =>
  Math.round((Date.parse(time ?? '') - Date.now()) / (10 * SECOND)) * 10;

/** The member that an error is about. */
const fieldOf = (error: ApiError | undefined): unknown =>
  (error?.detail as { field?: unknown } | undefined)?.field;

test('without a download an authority is not verified, and says so', async () => {
  const domain = await newTrustDomain();
  const id = await enter(controller, domain);
  expect(await shown(controller, id)).toEqual({
    ...{ isVerified: false, certPem: '', fingerprint: `spiffe://${domain.name}` },
    ...{ bundleRoots: null, bundleRootDetails: [], bundleState: null },
    ...{ warning: { code: 'BUNDLE_NOT_DOWNLOADED' } },
  });
});

test('a download stores certificates, sequence and times, and every controller sees them', async () => {
  const domain = await newTrustDomain();
  const id = await enter(controller, domain);
  expect(await refresh(controller, id)).toBeUndefined();
  const { bundleState } = await shown(controller, id);
  expect(Math.abs(secondsUntil(bundleState?.downloadedAt))).toBeLessThan(60);
  const stored = {
    isVerified: true,
    warning: null,
    bundleRoots: pemOf(domain.root),
    bundleRootDetails: [
      {
        fingerprint: domain.root.cert.fingerprint.replaceAll(':', '').toLowerCase(),
        isAuthority: true,
      },
    ],
    bundleState: {
      sequence: '1',
      downloadedAt: bundleState?.downloadedAt,
      nextAt: new Date(Date.parse(bundleState?.downloadedAt ?? '') + 600 * SECOND).toISOString(),
      error: null,
    },
  };
  expect(await shown(controller, id)).toMatchObject(stored);
  expect(await shown(both.other, id)).toMatchObject(stored);
});

test('a bundle is downloaded when its hint says so by the clock of the database, and not before', async () => {
  const domain = await newTrustDomain();
  const id = await enter(controller, domain);
  for (const [on, requests] of [
    [controller, 1],
    [both.other, 2],
  ] as const) {
    await refresh(on, id);
    expect(domain.server.requests()).toBe(requests);
    await passSeconds(controller, 500);
    await refresh(both.other, id);
    expect(domain.server.requests()).toBe(requests);
    await passSeconds(controller, 100);
  }
  await refresh(controller, id);
  expect(domain.server.requests()).toBe(3);
});

test.each([
  ['no hint', {}, 300],
  ['a hint of a second', { spiffe_refresh_hint: 1 }, 60],
  ['a hint of a year', { spiffe_refresh_hint: 31_536_000 }, 86_400],
])('%s lets the next download be within bounds', async (_name, hint, seconds) => {
  const domain = await newTrustDomain();
  domain.server.answer = bundleOf([domain.root], hint);
  const id = await enter(controller, domain);
  await refresh(controller, id);
  const { bundleState } = await shown(controller, id);
  const { nextAt = '', downloadedAt } = bundleState ?? {};
  expect(Date.parse(nextAt) - Date.parse(downloadedAt ?? '')).toBe(seconds * SECOND);
});

test('keys for other uses are ignored', async () => {
  const domain = await newTrustDomain();
  const keys = [
    { use: 'jwt-svid', kid: 'a', kty: 'EC' },
    { use: 'of-tomorrow' },
    bundleKey(domain.root),
  ];
  domain.server.answer = JSON.stringify({ keys });
  const id = await enter(controller, domain);
  expect(await refresh(controller, id)).toBeUndefined();
  expect((await shown(controller, id)).bundleRoots).toBe(pemOf(domain.root));
});

describe('refused, so that the last good bundle counts:', () => {
  const good = { spiffe_sequence: 7 };

  async function expectRefused(answer: string, reason: string): Promise<void> {
    const domain = await newTrustDomain();
    domain.server.answer = bundleOf([domain.root], good);
    const id = await enter(controller, domain);
    await refresh(controller, id);
    const before = await shown(controller, id);
    await passSeconds(controller, 300);
    domain.server.answer = answer;
    expect(await refresh(controller, id)).toBe(reason);
    const { bundleState, ...others } = await shown(controller, id);
    const { bundleState: earlier, ...unchanged } = before;
    expect(others).toEqual(unchanged);
    expect(bundleState).toEqual({
      ...earlier,
      nextAt: expect.any(String),
      error: reason,
    });
    expect(secondsUntil(bundleState?.nextAt)).toBeLessThanOrEqual(60);
  }

  test('a lower sequence', async () => {
    const answer = bundleOf([await newRoot('x.example')], { spiffe_sequence: 6 });
    const domain = 'the bundle belongs to another trust domain';
    await expectRefused(answer, domain);
    const nameless = bundleOf([await newAuthority('nameless')], { spiffe_sequence: 6 });
    await expectRefused(nameless, 'the sequence of the bundle is 6, after 7');
  });

  test('no sequence, after one', async () => {
    const answer = bundleOf([await newAuthority('nameless')], {});
    await expectRefused(answer, 'the sequence of the bundle is none, after 7');
  });

  test('the certificate of a leaf', async () => {
    const leaf = await newSvid('spiffe://x.example/a', await newAuthority('any'));
    const reason = 'a certificate of the bundle is not that of a usable authority';
    await expectRefused(bundleOf([leaf], good), reason);
  });

  test('too many certificates', async () => {
    const key = bundleKey(await newAuthority('again'));
    const answer = JSON.stringify({ keys: Array(33).fill(key), ...good });
    await expectRefused(answer, 'the bundle has more than 32 certificates');
  });

  test('a chain instead of a certificate', async () => {
    const key = bundleKey(await newAuthority('a')) as { x5c: string[] };
    const answer = JSON.stringify({ keys: [{ ...key, x5c: [...key.x5c, ...key.x5c] }], ...good });
    await expectRefused(answer, 'a key of the bundle does not have exactly one certificate');
  });

  test.each([
    ['nothing', '', 'answered with something else than JSON'],
    ['a page', '<html>', 'answered with something else than JSON'],
    ['a list', '[]', 'answered with something else than a bundle'],
    ['no keys', '{}', 'answered without a list of keys'],
    ['no certificates', '{"keys":[]}', 'the bundle has no certificates'],
    [
      'an unreadable certificate',
      '{"keys":[{"use":"x509-svid","x5c":["AAAA"]}]}',
      'a certificate of the bundle can not be read',
    ],
    [
      'too many bytes',
      `{"keys":[],"x":"${'x'.repeat(262_144)}"}`,
      'answered with more than 262144 bytes',
    ],
  ])('%s', (_name, answer, reason) => expectRefused(answer, reason));

  test('a sequence that is no number', async () => {
    const answer = bundleOf([await newAuthority('a')], { spiffe_sequence: '8' });
    await expectRefused(answer, 'spiffe_sequence of the bundle is not a whole number');
  });
});

describe('the server', () => {
  const stateAfter = async (input: Row): Promise<string | null | undefined> => {
    const id = await controller.create('CertificateAuthority', input);
    await refresh(controller, id);
    const { bundleState, bundleRoots } = await shown(controller, id);
    expect(bundleRoots === null).toBe(bundleState?.error !== null);
    return bundleState?.error;
  };

  test('may not redirect', async () => {
    const domain = await newTrustDomain();
    const elsewhere = await newTrustDomain();
    domain.server.answer = (_request, response) => {
      response.writeHead(302, { location: elsewhere.server.url }).end();
    };
    expect(await stateAfter(domain.input)).toBe('redirected elsewhere');
    expect(elsewhere.server.requests()).toBe(0);
  });

  test('needs a certificate of a trusted authority', async () => {
    const { name, input } = await newTrustDomain();
    const endpoint = { ...(input.bundleEndpoint as Row), ca: pemOf(await newAuthority('other')) };
    expect(await stateAfter(authorityOf(name, endpoint))).toBe('the connection failed');
  });

  test('on a private address is asked only if the configuration allows it', async () => {
    const domain = await newTrustDomain();
    const id = await enter(controller, domain);
    expect(await refresh(controller, id, false)).toBe('the address is not allowed');
    expect(domain.server.requests()).toBe(0);
    await remove(controller, 'CertificateAuthority', id);
  });

  test('by https_spiffe shows an X509-SVID of the stored bundle, with its id', async () => {
    const domain = await newTrustDomain('spire');
    const [first, second] = [domain.root, await newRoot(domain.name)];
    const spiffeId = `spiffe://${domain.name}/spire/server`;
    const server = await serveBundle(
      bundleOf([second], { spiffe_sequence: 2 }),
      await newSvid(spiffeId, first),
    );
    const endpoint = {
      ...{ trustDomain: domain.name, url: server.url, profile: 'HTTPS_SPIFFE' },
      ...{ ca: pemOf(first), endpointSpiffeId: spiffeId },
    };
    try {
      const id = await controller.create('CertificateAuthority', authorityOf('spire', endpoint));
      expect(await refresh(controller, id)).toBeUndefined();
      expect((await shown(controller, id)).bundleRoots).toBe(pemOf(second));
      // The first root has left the bundle, so the server needs a certificate of the second one.
      await passSeconds(controller, 300);
      expect(await refresh(controller, id)).toBe('the connection failed');
      expect((await shown(controller, id)).bundleState?.error).toBe('the connection failed');
      await remove(controller, 'CertificateAuthority', id);
    } finally {
      await server.close();
    }
  });

  test.each(['another id', 'another authority', 'a name of the web'])(
    'by https_spiffe may not show %s',
    async (fault) => {
      const domain = await newTrustDomain('wrong');
      const spiffeId = `spiffe://${domain.name}/spire/server`;
      const other = await newRoot(domain.name);
      const certificate = {
        'another id': () => newSvid(`spiffe://${domain.name}/workload`, domain.root),
        'another authority': () => newSvid(spiffeId, other),
        'a name of the web': () => newServerCertificate(domain.root),
      }[fault];
      if (!certificate) throw new Error(fault);
      const server = await serveBundle(bundleOf([domain.root]), await certificate());
      const endpoint = {
        ...{ trustDomain: domain.name, url: server.url, profile: 'HTTPS_SPIFFE' },
        ...{ ca: pemOf(domain.root), endpointSpiffeId: spiffeId },
      };
      try {
        expect(await stateAfter(authorityOf(domain.name, endpoint))).toBe('the connection failed');
      } finally {
        await server.close();
      }
    },
  );
});

const UPDATE = `mutation ($id: ID!, $input: UpdateCertificateAuthorityInput!) {
  updateCertificateAuthority(id: $id, input: $input) { id } }`;

describe('a change', () => {
  test('of the trust domain is refused, and so is the loss of the endpoint', async () => {
    const domain = await newTrustDomain();
    const id = await enter(controller, domain);
    const endpoint = domain.input.bundleEndpoint as Row;
    for (const bundleEndpoint of [null, { ...endpoint, trustDomain: 'other.example' }]) {
      const { errors } = await controller.graph(UPDATE, { id, input: { bundleEndpoint } });
      expect(errors.map(fieldOf)).toEqual(['bundleEndpoint.trustDomain']);
    }
  });

  test('of the endpoint lets the sequence begin anew, and the certificates count meanwhile', async () => {
    const domain = await newTrustDomain();
    domain.server.answer = bundleOf([domain.root], { spiffe_sequence: 9 });
    const id = await enter(controller, domain);
    await refresh(controller, id);
    const bundleEndpoint = {
      ...(domain.input.bundleEndpoint as Row),
      url: `${domain.server.url}/new`,
    };
    await update(controller, 'CertificateAuthority', id, { bundleEndpoint });
    expect(await shown(controller, id)).toMatchObject({
      bundleRoots: pemOf(domain.root),
      bundleState: null,
    });
    domain.server.answer = bundleOf([domain.root], { spiffe_sequence: 1 });
    expect(await refresh(controller, id)).toBeUndefined();
    expect((await shown(controller, id)).bundleState?.sequence).toBe('1');
  });

  test('of something else leaves the endpoint', async () => {
    const domain = await newTrustDomain();
    const id = await enter(controller, domain);
    await refresh(controller, id);
    await update(controller, 'CertificateAuthority', id, { name: `${domain.name} renamed` });
    expect(await shown(controller, id)).toMatchObject({ bundleState: { sequence: '1' } });
  });
});

test('of two controllers with different bundles the higher sequence stays, whatever comes last', async () => {
  const domain = await newTrustDomain();
  const next = await newRoot(domain.name);
  const id = await enter(controller, domain);
  const late: (() => void)[] = [];
  const came: { first?: () => void } = {};
  const first = new Promise<void>((resolve) => (came.first = resolve));
  domain.server.answer = (_request, response) => {
    // The first one asked holds its older answer back until the other controller is done.
    late.push(() => response.end(bundleOf([domain.root], { spiffe_sequence: 1 })));
    came.first?.();
  };
  const slow = refresh(controller, id);
  await first;
  domain.server.answer = bundleOf([next], { spiffe_sequence: 2 });
  expect(await refresh(both.other, id)).toBeUndefined();
  for (const answer of late) answer();
  expect(await slow).toBe('the sequence of the bundle is 1, after 2');
  expect((await shown(controller, id)).bundleRoots).toBe(pemOf(next));
});

test('a controller that starts while the endpoint is down has the stored certificates', async () => {
  const domain = await newTrustDomain();
  const id = await enter(controller, domain);
  await refresh(controller, id);
  await domain.server.close();
  await passSeconds(controller, 600);
  const started = await InProcess.start(controller);
  try {
    expect(await refresh(started, id)).toBe('the connection failed');
    expect((await shown(started, id)).bundleRoots).toBe(pemOf(domain.root));
  } finally {
    await started.stop();
  }
});

test('only a change of the certificates is a change of the authority', async () => {
  const domain = await newTrustDomain();
  const id = await enter(controller, domain);
  const revision = async (): Promise<number> =>
    (
      await controller.read<{ certificateAuthority: { revision: number } }>(
        'query ($id: ID!) { certificateAuthority(id: $id) { revision } }',
        { id },
      )
    ).certificateAuthority.revision;
  const revisions: number[] = [];
  for (const answer of [
    undefined,
    undefined,
    bundleOf([domain.root, await newRoot(domain.name)]),
  ]) {
    if (answer !== undefined) domain.server.answer = answer;
    await refresh(controller, id);
    revisions.push(await revision());
    await passSeconds(controller, 600);
  }
  expect(revisions).toEqual([2, 2, 3]);
});
