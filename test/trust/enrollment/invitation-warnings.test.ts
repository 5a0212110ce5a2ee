import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { newAuthority } from '../auth/certificates.js';
import { newOwnKeys, showing } from '../auth/intruder.js';
import { InProcess, InProcessRest } from '../../support/in-process.js';

/* Invitations by an authority that is not verified: the graph warns, and the enrollment says what to do. */

let controller: InProcess;
let rest: InProcessRest;
let count = 0;
const next = (): string => `invited-${String((count += 1))}`;

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

/* An authority that may enroll everybody would change the next test. */
afterEach(() => controller.parts.store.query(sql`delete from certificate_authority`));

const CREATE_AUTHORITY = `mutation ($input: CreateCertificateAuthorityInput!) {
  createCertificateAuthority(input: $input) { id warning { code text } } }`;

interface Warned {
  readonly id: string;
  readonly warning: { readonly code: string; readonly text: string } | null;
}

async function newCa(input: Row = {}): Promise<Warned & { certPem: string }> {
  const certPem = (await newAuthority(next())).cert.toString();
  const { createCertificateAuthority: ca } = await controller.read<{
    createCertificateAuthority: Warned;
  }>(CREATE_AUTHORITY, {
    input: {
      name: next(),
      certPem,
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: false,
      isOttCaEnrollmentEnabled: true,
      identityRoles: [],
      ...input,
    },
  });
  return { ...ca, certPem };
}

/** Without a proof of its key. */
const verify = (id: string): Promise<unknown> =>
  controller.parts.store.query(
    sql`update certificate_authority set is_verified = true where id = ${id}::text`,
  );

const newIdentity = (): Promise<string> =>
  controller.create('Identity', { name: next(), type: 'Default', isAdmin: false });

const CREATE_ENROLLMENT = `mutation ($input: CreateEnrollmentInput!) {
  createEnrollment(input: $input) { id token warning { code text } } }`;

async function invite(input: Row): Promise<Warned & { token: string }> {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { createEnrollment } = await controller.read<{
    createEnrollment: Warned & { token: string };
  }>(CREATE_ENROLLMENT, { input: { identityId: await newIdentity(), expiresAt, ...input } });
  return createEnrollment;
}

async function warningOf(id: string): Promise<string | undefined> {
  const { enrollment } = await controller.read<{ enrollment: Warned }>(
    'query ($id: ID!) { enrollment(id: $id) { id warning { code } } }',
    { id },
  );
  return enrollment.warning?.code;
}

const FINDINGS = `{ findings(kinds: [UNVERIFIED_AUTHORITY]) { nodes { text entities { entityId } } } }`;

async function findingAbout(id: string): Promise<string | undefined> {
  const { findings } = await controller.read<{
    findings: { nodes: { text: string; entities: { entityId: string }[] }[] };
  }>(FINDINGS);
  return findings.nodes.find(({ entities }) => entities.some(({ entityId }) => entityId === id))
    ?.text;
}

describe('an invitation by an authority', () => {
  test('that is not verified has a warning that says what to do, until it is verified', async () => {
    const ca = await newCa();
    expect(ca.warning?.code).toBe('AUTHORITY_NOT_VERIFIED');
    const { id, warning } = await invite({ method: 'ottca', caId: ca.id });
    expect(warning?.code).toBe('AUTHORITY_NOT_VERIFIED');
    expect(warning?.text).toMatch(/verificationToken.*verifyCertificateAuthority/);
    await verify(ca.id);
    expect(await warningOf(id)).toBeUndefined();
  });

  test('that may not enroll by tokens has another warning', async () => {
    const ca = await newCa({ isOttCaEnrollmentEnabled: false });
    await verify(ca.id);
    const { warning } = await invite({ method: 'ottca', caId: ca.id });
    expect(warning?.code).toBe('AUTHORITY_DOES_NOT_ENROLL');
    expect(warning?.text).toContain('isOttCaEnrollmentEnabled');
  });

  test('of a new identity has the warning as well', async () => {
    const ca = await newCa();
    const { createIdentity } = await controller.read<{
      createIdentity: { enrollments: { nodes: { method: string; warning: Row | null }[] } };
    }>(
      `mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) {
        enrollments { nodes { method warning { code } } } } }`,
      {
        input: {
          name: next(),
          type: 'Default',
          isAdmin: false,
          enrollment: { ottca: ca.id },
        },
      },
    );
    expect(createIdentity.enrollments.nodes).toEqual([
      { method: 'ottca', warning: { code: 'AUTHORITY_NOT_VERIFIED' } },
    ]);
  });

  test('has no warning by another method', async () => {
    expect((await invite({ method: 'ott' })).warning).toBeNull();
    expect((await invite({ method: 'updb', username: next() })).warning).toBeNull();
  });

  test('has no other members on REST', async () => {
    const ca = await newCa();
    const { id } = await invite({ method: 'ottca', caId: ca.id });
    for (const path of [`/enrollments/${id}`, `/cas/${ca.id}`]) {
      const { status, body } = await rest.get(path);
      expect([status, Object.keys(body.data).includes('warning')]).toEqual([200, false]);
    }
  });
});

describe('a finding', () => {
  test.each<[string, Row, (id: string) => Promise<unknown>]>([
    ['invites somebody', {}, (caId) => invite({ method: 'ottca', caId })],
    ['invites everybody', { isAutoCaEnrollmentEnabled: true }, () => Promise.resolve()],
  ])('is about an authority that is not verified and %s', async (_, input, use) => {
    const { id } = await newCa(input);
    await use(id);
    expect(await findingAbout(id)).toContain('Verify it (verifyCertificateAuthority)');
    await verify(id);
    expect(await findingAbout(id)).toBeUndefined();
  });

  test('is not about an authority that nothing uses', async () => {
    const { id } = await newCa();
    expect(await findingAbout(id)).toBeUndefined();
  });
});

const ENROLL = `mutation ($method: String!, $token: String) {
  enroll(method: $method, input: { token: $token }) { cert } }`;

/** The refusal of an enrollment with a certificate of strangers. */
async function refusalOf(method: string, token?: string) {
  const credentials = await showing(await newOwnKeys(next()), 'device');
  const ctx = controller.parts.contexts.make('127.0.0.1', undefined, { credentials });
  const { errors } = await controller.graph(ENROLL, { method, token }, ctx);
  const { code, detail } = errors[0] ?? {};
  return { code, text: detail?.kind === 'message' ? detail.message : undefined };
}

describe('an enrollment says what to do', () => {
  test('when the authority of its token is not verified', async () => {
    const ca = await newCa();
    const { token } = await invite({ method: 'ottca', caId: ca.id });
    const { code, text } = await refusalOf('ottca', token);
    expect(code).toBe('ENROLLMENT_CA_NOT_VALID');
    expect(text).toMatch(/not verified yet: ask an administrator .* with the same token/);
  });

  test('when the authority of its token may not enroll', async () => {
    const ca = await newCa();
    const { token } = await invite({ method: 'ottca', caId: ca.id });
    await verify(ca.id);
    await controller.read(
      `mutation ($id: ID!) {
        updateCertificateAuthority(id: $id, input: { isOttCaEnrollmentEnabled: false }) { id } }`,
      { id: ca.id },
    );
    const { code, text } = await refusalOf('ottca', token);
    expect(code).toBe('ENROLLMENT_CA_NOT_VALID');
    expect(text).toMatch(/may not enroll at present: ask an administrator/);
  });

  test('to strangers, without telling which authorities there are', async () => {
    const ca = await newCa({ isAutoCaEnrollmentEnabled: true });
    const before = await refusalOf('ca');
    await verify(ca.id);
    const after = await refusalOf('ca');
    expect([before.code, after.code]).toEqual([
      'ENROLLMENT_NO_VALID_CAS',
      'CERT_FAILED_VALIDATION',
    ]);
    expect(before.text).toContain('ask an administrator');
    expect(after.text).toBe(before.text);
  });
});
