import { webcrypto } from 'node:crypto';
import pg from 'pg';
import { x509 } from '../../src/trust/pki/x509.js';
import { keysOf as keyMaterialOf, newCsr, newKey } from '../trust/auth/certificates.js';
import { ask, drive, inTurn, repeat } from './load.js';
import type { LoginKind } from './logins.js';
import { keysOf } from './measure.js';
import type { HttpRequest } from './reads.js';
import type { Stage } from './stage.js';

/** More than eight seconds use up. */
const INVITATIONS = 10_000;
const CSRS = 20;

/** Outstanding one-time tokens straight into the table, for identities that have not joined. */
async function invite(stage: Stage): Promise<string[]> {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  try {
    await client.query(`insert into enrollment
        (id, created_at, updated_at, method, token, jwt, expires_at, identity_id)
      select 'bench-' || id, now(), now(), 'ott', md5('token' || id)::uuid, '', now() + interval '1 day', id
        from identity i
        where not is_default_admin and not exists (select from authenticator a where a.identity_id = i.id)
        order by id limit ${String(INVITATIONS)}`);
    await client.query('vacuum analyze enrollment');
  } finally {
    await client.end();
  }
  return keysOf(
    stage,
    `select token as key from enrollment where id like 'bench-%' order by token`,
  );
}

/** Reads a request and signs a certificate for its key, and nothing else. */
async function bareSigning(stage: Stage): Promise<(csr: string) => Promise<unknown>> {
  const { signer } = await keyMaterialOf(stage);
  const issuer = new x509.X509Certificate(signer.cert.raw).subjectName;
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const pkcs8 = signer.privateKey.export({ type: 'pkcs8', format: 'der' });
  const { subtle } = webcrypto;
  const signingKey = await subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
  return async (csr) => {
    const request = new x509.Pkcs10CertificateRequest(csr);
    if (!(await request.verify())) throw new Error('the request is not signed by its key');
    const certificate = await x509.X509CertificateGenerator.create({
      subject: request.subjectName,
      issuer,
      publicKey: request.publicKey,
      signingKey,
      signingAlgorithm: algorithm,
      notAfter: new Date(Date.now() + 86_400_000),
    });
    return certificate.toString('pem');
  };
}

/** The floor is the signing of the same requests alone, in this process. */
export const ENROLLMENTS: LoginKind = {
  name: 'enrollments by one-time token (ott)',
  prepare: async (stage) => {
    const { controller } = stage;
    const csrs = await Promise.all(Array.from({ length: CSRS }, () => newCsr(newKey())));
    const [csr, floorCsr] = [inTurn(csrs), inTurn(csrs)];
    const tokens = await invite(stage);
    const token = inTurn(tokens);
    const sign = await bareSigning(stage);
    let used = 0;
    const next = (): HttpRequest => {
      used += 1;
      return {
        method: 'POST',
        path: `/edge/client/v1/enroll?method=ott&token=${token()}`,
        body: JSON.stringify({ clientCsr: csr() }),
      };
    };
    return {
      one: () => ask(controller, next()),
      ours: (seconds) => drive(controller, next, seconds, ''),
      floor: (seconds) => repeat(() => sign(floorCsr()), seconds),
      check: () => {
        if (used > tokens.length) throw new Error('there were not enough invitations');
      },
    };
  },
};
