import { createPublicKey, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { raw, sql, type Sql } from '../../src/base/sql.js';
import { issueCertificate } from '../../src/trust/pki/issue-certificate.js';
import { x509 } from '../../src/trust/pki/x509.js';
import { fillFollowing } from '../../src/data/store/fill-following.js';
import { newCsr, newKey } from '../trust/auth/certificates.js';
import { InProcess, InProcessRest } from '../support/in-process.js';

/* When certificates begin and end is stored with what they belong to, so that lists know what ends next. */

const FROM = '2020-01-01T00:00:00.000Z';

let controller: InProcess;
/** Certificates of identities by their names, with their ends. */
const ENDS: Readonly<Record<string, string>> = {
  ada: '2031-03-01T10:00:00.000Z',
  bob: '2030-03-01T10:00:00.000Z',
  cy: '2032-03-01T10:00:00.000Z',
};
const authenticators = new Map<string, string>();

async function certificate(name: string, end: string, isAuthority = false): Promise<string> {
  const privateKey = newKey();
  const made = await issueCertificate(
    {
      subject: [{ CN: [name] }],
      publicKey: createPublicKey(privateKey),
      notBefore: new Date(FROM),
      notAfter: new Date(end),
      extensions: [new x509.BasicConstraintsExtension(isAuthority, undefined, true)],
    },
    { privateKey },
  );
  return made.toString();
}

beforeAll(async () => {
  controller = await InProcess.start();
  for (const [name, end] of Object.entries(ENDS)) {
    const identityId = await controller.create('Identity', {
      name,
      type: 'Default',
      isAdmin: false,
    });
    const certPem = await certificate(name, end);
    authenticators.set(
      name,
      await controller.create('Authenticator', { identityId, method: 'cert', certPem }),
    );
  }
});
afterAll(() => controller.stop());

interface Valid {
  readonly id: string;
  readonly notBefore: string | null;
  readonly notAfter: string | null;
}

async function list(field: string, args: string): Promise<Valid[]> {
  const answer = await controller.read<Record<string, { nodes: Valid[] }>>(
    `{ ${field}(${args}) { nodes { id notBefore notAfter } } }`,
  );
  return answer[field]?.nodes ?? [];
}

const namesOf = (found: readonly Valid[]): string[] =>
  found.map(({ id }) => [...authenticators].find(([, own]) => own === id)?.[0] ?? '?');

describe('authenticators', () => {
  test('say when their certificates begin and end', async () => {
    const found = await list('authenticators', 'where: { method: { eq: "cert" } }');
    const ends = new Map(found.map(({ id, notAfter }) => [id, notAfter]));
    for (const [name, id] of authenticators) expect(ends.get(id)).toBe(ENDS[name]);
    expect(new Set(found.map(({ notBefore }) => notBefore))).toStrictEqual(new Set([FROM]));
  });

  const details = async (method: string): Promise<readonly unknown[]> => {
    const { authenticators: page } = await controller.read<{ authenticators: { nodes: Row[] } }>(
      `{ authenticators(where: { method: { eq: "${method}" } }) { nodes { id fingerprint certificateDetails {
        subject issuer names usages isAuthority key fingerprint notBefore notAfter } } } }`,
    );
    return page.nodes;
  };

  test('say what their certificates say', async () => {
    const found = await details('cert');
    const own = found.find((one) => Reflect.get(Object(one), 'id') === authenticators.get('ada'));
    const fingerprint: unknown = Reflect.get(Object(own), 'fingerprint');
    expect(own).toMatchObject({
      certificateDetails: {
        subject: 'CN=ada',
        issuer: 'CN=ada',
        names: [],
        usages: [],
        isAuthority: false,
        key: 'EC P-256',
        fingerprint,
        notBefore: FROM,
        notAfter: ENDS.ada,
      },
    });
    await expect(details('updb')).resolves.toMatchObject([{ certificateDetails: null }]);
  });

  test('with a password have no end', async () => {
    const found = await list('authenticators', 'where: { method: { eq: "updb" } }');
    expect(found).toMatchObject([{ notBefore: null, notAfter: null }]);
  });

  test('are ordered and filtered by the end', async () => {
    const ordered = 'orderBy: [{ field: notAfter, direction: asc }]';
    const method = 'method: { eq: "cert" }';
    const all = await list('authenticators', `where: { ${method} }, ${ordered}`);
    expect(namesOf(all)).toStrictEqual(['bob', 'ada', 'cy']);
    const soon = await list(
      'authenticators',
      `where: { ${method}, notAfter: { lte: "${String(ENDS.ada)}" } }, ${ordered}`,
    );
    expect(namesOf(soon)).toStrictEqual(['bob', 'ada']);
  });

  test('have nothing new over REST', async () => {
    const admin = await controller.create('Identity', {
      name: 'reader',
      type: 'Default',
      isAdmin: true,
    });
    const rest = await InProcessRest.listen(controller, admin);
    try {
      const { body } = await rest.get(`/authenticators/${String(authenticators.get('ada'))}`);
      expect(Object.keys(body.data)).not.toContain('notAfter');
      const { body: page } = await rest.get('/authenticators');
      expect(page.meta.filterableFields).not.toContain('notAfter');
    } finally {
      await rest.stop();
    }
  });
});

test('a certificate authority says when it ends', async () => {
  const end = '2033-01-01T00:00:00.000Z';
  await controller.create('CertificateAuthority', {
    name: 'theirs',
    certPem: await certificate('theirs', end, true),
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    identityRoles: [],
  });
  const found = await list('certificateAuthorities', `where: { notAfter: { eq: "${end}" } }`);
  expect(found).toMatchObject([{ notBefore: FROM, notAfter: end }]);
});

test('an edge router says when the certificate that it enrolled with ends, and a new one', async () => {
  const id = await controller.create('EdgeRouter', { name: 'gate' });
  const read = async (): Promise<Valid & { certPem: string | null; enrollmentToken: string }> =>
    (
      await controller.read<{ edgeRouter: never }>(
        'query ($id: ID!) { edgeRouter(id: $id) { id certPem notBefore notAfter enrollmentToken } }',
        { id },
      )
    ).edgeRouter;
  expect(await read()).toMatchObject({ notBefore: null, notAfter: null });
  const csr = await newCsr(newKey(), `CN=${id}`);
  await controller.read(
    'mutation ($input: EnrollInput!) { enroll(method: "erott", input: $input) { cert } }',
    { input: { token: (await read()).enrollmentToken, clientCsr: csr, serverCsr: csr } },
    controller.anonymous(),
  );
  const { certPem, notAfter } = await read();
  expect(notAfter).toBe(new Date(new X509Certificate(String(certPem)).validTo).toISOString());
  await controller.read('mutation ($id: ID!) { reEnrollEdgeRouter(id: $id) { id } }', { id });
  const again = await read();
  expect([again.certPem === null, again.notAfter === null]).toStrictEqual([true, true]);
});

test('a transit router says when its certificate ends, which is not stored itself', async () => {
  const id = await controller.create('TransitRouter', { name: 'backbone' });
  const read = async (): Promise<Valid & { enrollmentToken: string }> =>
    (
      await controller.read<{ transitRouter: never }>(
        'query ($id: ID!) { transitRouter(id: $id) { id notBefore notAfter enrollmentToken } }',
        { id },
      )
    ).transitRouter;
  const before = await read();
  expect(before).toMatchObject({ notBefore: null, notAfter: null });
  const csr = await newCsr(newKey(), `CN=${id}`);
  const { enroll } = await controller.read<{ enroll: { cert: string } }>(
    'mutation ($input: EnrollInput!) { enroll(method: "trott", input: $input) { cert } }',
    { input: { token: before.enrollmentToken, clientCsr: csr, serverCsr: csr } },
    controller.anonymous(),
  );
  const { validFrom, validTo } = new X509Certificate(enroll.cert);
  expect(await read()).toMatchObject({
    notBefore: new Date(validFrom).toISOString(),
    notAfter: new Date(validTo).toISOString(),
  });
});

describe('rows of before it was stored', () => {
  const query = <R>(statement: Sql<R>) => controller.parts.store.query(statement);
  const ends = async (): Promise<Record<string, string | null>> => {
    const found = await list('authenticators', 'where: { method: { eq: "cert" } }');
    return Object.fromEntries(found.map((one, i) => [namesOf(found)[i] ?? '', one.notAfter]));
  };

  test('are filled when a controller starts, and what can not be read is left', async () => {
    await query(sql`update authenticator set not_before = null, not_after = null returning id`);
    await query(
      sql`update authenticator set cert_pem = 'unreadable' where id = ${authenticators.get('cy')}::text returning id`,
    );
    const unreadable = await controller.read(
      `{ authenticator(id: "${String(authenticators.get('cy'))}") { certificateDetails { key } } }`,
    );
    expect(unreadable).toEqual({ authenticator: { certificateDetails: null } });
    await fillFollowing(controller.parts.store, controller.catalog.stored());
    const expected = { ...ENDS, cy: null };
    expect(await ends()).toStrictEqual(expected);
    await fillFollowing(controller.parts.store, controller.catalog.stored());
    expect(await ends()).toStrictEqual(expected);
  });

  test('are filled slice by slice, of very many too', async () => {
    const stored = await query(
      sql<{ name: string }>`select quote_ident(column_name) as name from information_schema.columns
        where table_name = 'identity' and is_generated = 'NEVER'`,
    );
    const columns = raw(stored.map(({ name }) => name).join());
    await query(
      sql`insert into identity (${columns}) select ${columns} from (
          select made.* from identity i, generate_series(1, 1200) n,
            jsonb_populate_record(i, jsonb_build_object('id', 'many' || n, 'name', 'many' || n)) made
          where i.name = 'bob') made returning id`,
    );
    await query(
      sql`insert into authenticator (id, created_at, updated_at, identity_id, method, fingerprint, cert_pem)
        select 'many' || n, now(), now(), 'many' || n, 'cert', 'print' || n, a.cert_pem
        from generate_series(1, 1200) n, authenticator a where a.id = ${authenticators.get('bob')}::text returning id`,
    );
    await fillFollowing(controller.parts.store, controller.catalog.stored());
    const [row] = await query(
      sql<{
        count: number;
      }>`select count(*)::int as count from authenticator where not_after = ${String(ENDS.bob)}::timestamptz`,
    );
    expect(row?.count).toBe(1201);
  });
});
