import { proveLogin, RefusedLogin } from '../../../../src/trust/auth/index.js';
import type { RequestContext } from '../../../../src/kernel/request/context.js';
import type { CertificateIssuer } from '../../../../src/trust/pki/index.js';
import type { InProcess } from '../../../support/in-process.js';

type Chain = readonly Pick<CertificateIssuer, 'cert'>[];

const contextWith = (at: InProcess, chain: Chain): RequestContext => {
  const credentials = { bearers: [], clientChain: () => chain.map(({ cert }) => cert.raw) };
  return at.parts.contexts.make('127.0.0.1', undefined, { credentials });
};

const LOGIN = `mutation { authenticate(method: "cert", input: {}) { identityId token } }`;

export interface SvidSession {
  readonly identityId: string;
  readonly token: string;
}

/** Shows certificates, the leaf first; gives the session of a login. */
export async function logInBy(at: InProcess, chain: Chain): Promise<SvidSession | undefined> {
  const { data } = await at.graph(LOGIN, {}, contextWith(at, chain));
  return (data?.authenticate as SvidSession | null | undefined) ?? undefined;
}

/** Why certificates prove nobody, which a client does not learn. */
export async function refusalOf(at: InProcess, chain: Chain): Promise<string | undefined> {
  const error: unknown = await proveLogin(contextWith(at, chain), 'cert', {}).catch(
    (thrown: unknown) => thrown,
  );
  return error instanceof RefusedLogin ? error.refusal : undefined;
}
