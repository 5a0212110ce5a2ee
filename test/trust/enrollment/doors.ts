import type { ClientCertificate } from '../auth/certificates.js';
import { bearersOf, call, outcome, type Call } from '../auth/client.js';
import type { Answer, Envelope, TestController } from '../../support/controller.js';
import { sendProof } from './enrolling.js';

/* Both doors to the operations of enrollment, so that one table holds for both. */

type Reply<T> = { readonly data: T } | { readonly refusal: readonly [number, string | undefined] };

export interface EnrollWith {
  readonly token?: string;
  readonly clientCsr?: string;
  readonly serverCsr?: string;
  readonly name?: string;
  readonly password?: string;
  readonly certificate?: ClientCertificate | undefined;
  readonly jwt?: string;
}

export interface Enrolled {
  readonly ca?: string;
  readonly cert?: string;
  readonly serverCert?: string;
  readonly username?: string;
}

type On = TestController;

/** Members are left out where there are none, and what a door adds beside them is left out. */
export interface Door {
  readonly name: string;
  /** Without a method, that of the token counts. */
  enroll(on: On, method: string | undefined, input: EnrollWith): Promise<Reply<Enrolled>>;
  extend(
    on: On,
    requests: Required<Pick<EnrollWith, 'clientCsr' | 'serverCsr'>>,
    certificate?: ClientCertificate,
  ): Promise<Reply<Enrolled>>;
  challenge(on: On, keyId: string, nonce: string): Promise<Reply<Record<string, string>>>;
  keys(on: On): Promise<Reply<{ readonly keys: readonly { readonly kid: string }[] }>>;
  verify(on: On, id: string, pem: string): Promise<Reply<unknown>>;
  authorityJwt(on: On, id: string): Promise<Reply<string>>;
  networkJwts(on: On): Promise<Reply<readonly { readonly token: string }[]>>;
  authorities(on: On): Promise<Reply<string>>;
}

const shown = <T>(answer: Answer<Envelope>, read: (answer: Answer<Envelope>) => T): Reply<T> =>
  answer.status === 200 ? { data: read(answer) } : { refusal: outcome(answer) };

const dataOf = ({ body }: Answer<Envelope>): never => body.data;
const bodyOf = ({ body }: Answer<Envelope>): never => body as never;
const textOf = ({ text }: Answer<Envelope>): string => text;

const enrolledOf = ({ ca, cert, serverCert, username }: Enrolled): Enrolled => ({
  ...(ca ? { ca } : {}),
  ...(cert ? { cert } : {}),
  ...(serverCert ? { serverCert } : {}),
  ...(username ? { username } : {}),
});

const withProofs = ({ certificate, jwt }: EnrollWith): Call => ({
  certificate,
  headers: jwt === undefined ? {} : { authorization: bearersOf([jwt]) },
});

const REST: Door = {
  name: 'REST',
  enroll: async (on, method, { certificate, jwt, ...body }) => {
    const proofs = withProofs({ certificate, ...(jwt === undefined ? {} : { jwt }) });
    const query = method === undefined ? '' : `?method=${method}`;
    const answer = await call(on, 'POST', `/enroll${query}`, { ...proofs, body });
    return shown(answer, (a) => enrolledOf(dataOf(a)));
  },
  extend: async (on, { clientCsr, serverCsr }, certificate) => {
    const body = { certCsr: clientCsr, serverCertCsr: serverCsr };
    const answer = await call(on, 'POST', '/enroll/extend/router', { certificate, body });
    return shown(answer, (a) => enrolledOf(dataOf(a)));
  },
  challenge: async (on, keyId, nonce) =>
    shown(await call(on, 'POST', '/enroll/challenge', { body: { keyId, nonce } }), bodyOf),
  keys: async (on) => shown(await call(on, 'GET', '/enroll/jwks'), bodyOf),
  verify: async (on, id, pem) => shown(await sendProof(on, id, pem), () => undefined),
  authorityJwt: async (on, id) => shown(await on.rest('GET', `/cas/${id}/jwt`), textOf),
  networkJwts: async (on) => shown(await call(on, 'GET', '/network-jwts'), dataOf),
  authorities: async (on) => shown(await call(on, 'GET', '/.well-known/est/cacerts'), textOf),
};

interface GraphAnswer<T> {
  readonly data: { readonly result: T } | null;
  readonly errors?: readonly { readonly extensions: { code: string; status: number } }[];
}

async function graph<T>(
  on: On,
  query: string,
  variables: Record<string, unknown>,
  proofs: Call = {},
): Promise<Reply<T>> {
  const answer = await call(on, 'POST', '/graphql', { ...proofs, body: { query, variables } });
  const { data, errors } = answer.body as unknown as GraphAnswer<T>;
  const [error] = errors ?? [];
  if (error) return { refusal: [error.extensions.status, error.extensions.code] };
  if (!data) throw new Error(answer.text);
  return { data: data.result };
}

const mapped = <T, U>(reply: Reply<T>, to: (data: T) => U): Reply<U> =>
  'data' in reply ? { data: to(reply.data) } : reply;

const asAdmin = ({ token }: On): Call => ({ headers: { 'zt-session': token } });

const GRAPH: Door = {
  name: 'GraphQL',
  enroll: async (on, method, { certificate, jwt, ...input }) =>
    mapped(
      await graph<Enrolled | null>(
        on,
        'mutation ($method: String, $input: EnrollInput!) { result: enroll(method: $method, input: $input) { ca cert serverCert username } }',
        { method, input },
        withProofs({ certificate, ...(jwt === undefined ? {} : { jwt }) }),
      ),
      (data) => enrolledOf(data ?? {}),
    ),
  extend: async (on, requests, certificate) =>
    mapped(
      await graph<Enrolled>(
        on,
        'mutation ($clientCsr: String!, $serverCsr: String!) { result: extendRouterEnrollment(clientCsr: $clientCsr, serverCsr: $serverCsr) { ca cert serverCert } }',
        { ...requests },
        { certificate },
      ),
      enrolledOf,
    ),
  challenge: (on, keyId, nonce) =>
    graph(
      on,
      'query ($keyId: String!, $nonce: String!) { result: enrollmentChallenge(keyId: $keyId, nonce: $nonce) { algorithm caPool kid signature } }',
      { keyId, nonce },
    ),
  keys: (on) => graph(on, '{ result: enrollmentKeys }', {}),
  verify: (on, id, certificate) =>
    graph(
      on,
      'mutation ($id: ID!, $certificate: String!) { result: verifyCertificateAuthority(id: $id, certificate: $certificate) }',
      { id, certificate },
      asAdmin(on),
    ),
  authorityJwt: (on, id) =>
    graph(on, 'query ($id: ID!) { result: certificateAuthorityJwt(id: $id) }', { id }, asAdmin(on)),
  networkJwts: (on) => graph(on, '{ result: networkJwts { token } }', {}),
  authorities: (on) => graph(on, '{ result: authorities }', {}),
};

export const DOORS: readonly Door[] = [REST, GRAPH];

/** What an operation gave. */
export function given<T>(reply: Reply<T>): T {
  if ('data' in reply) return reply.data;
  throw new Error(`refused: ${reply.refusal.join(' ')}`);
}

/** Status and code of a refusal. */
export function refused(reply: Reply<unknown>): readonly [number, string | undefined] {
  if ('refusal' in reply) return reply.refusal;
  throw new Error('not refused');
}
