import type { RequestContext } from '../../../src/kernel/request/context.js';
import type { Row } from '../../../src/base/row.js';
import { parseCertificatePem } from '../../../src/trust/pki/index.js';
import type { CertificateIssuer } from '../../../src/trust/pki/issue-certificate.js';
import { callerOf, type InProcess } from '../../support/in-process.js';
import { newAuthority, newLeaf } from './certificates.js';
import { inSession } from './in-process-logins.js';
import { OutsideSigner } from './signers.js';

/** Somebody with one permission who tries whatever can be tried, and remembers what it was told. */

export const PASSWORD = 'battery staple';

/** Keys that the intruder holds, and that nobody in the network knows before it says so. */
export interface OwnKeys {
  readonly signer: OutsideSigner;
  readonly authority: CertificateIssuer;
}

export const newOwnKeys = async (name: string): Promise<OwnKeys> => ({
  signer: await OutsideSigner.create(`signer-of-${name}`),
  authority: await newAuthority(`authority of ${name}`),
});

export class Intruder {
  /** Everything that answers have told. */
  readonly told: string[] = [];

  constructor(
    readonly controller: InProcess,
    readonly identityId: string,
    readonly permission: string,
    private readonly apiSessionId: string,
  ) {}

  ctx(): RequestContext {
    const caller = callerOf(this.identityId, this.permission);
    return this.controller.ctx({ ...caller, apiSessionId: this.apiSessionId });
  }

  /** Asks with its permission; a refusal gives nothing. */
  async ask(document: string, variables: Row = {}): Promise<Row | null> {
    return this.askAs(this.ctx(), document, variables);
  }

  async askAs(ctx: RequestContext, document: string, variables: Row = {}): Promise<Row | null> {
    const { data, messages } = await this.controller.graph(document, variables, ctx);
    this.told.push(JSON.stringify(data));
    return messages.length === 0 ? data : null;
  }

  /** One-time tokens that it was told. */
  get tokens(): Set<string> {
    const all = this.told.join();
    return new Set(all.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []);
  }

  /** The identity that a login gives, and a context in its name. */
  async logIn(
    method: string,
    input: Row,
    credentials?: RequestContext['credentials'],
  ): Promise<{ identityId: string; ctx: RequestContext } | undefined> {
    const ctx = this.controller.parts.contexts.make(
      '127.0.0.1',
      undefined,
      credentials ? { credentials } : {},
    );
    const { data } = await this.controller.graph(
      `mutation ($method: String!, $input: AuthenticateInput!) {
        authenticate(method: $method, input: $input) { identityId token } }`,
      { method, input },
      ctx,
    );
    const session = data?.authenticate as { identityId: string; token: string } | null | undefined;
    if (!session) return undefined;
    return {
      identityId: session.identityId,
      ctx: await inSession(this.controller, session.token),
    };
  }
}

export const bearing = (token: string): RequestContext['credentials'] => ({
  bearers: [token],
  clientChain: () => [],
});

/** A certificate of the intruder's own authority. */
export async function showing(
  { authority }: OwnKeys,
  commonName: string,
): Promise<RequestContext['credentials']> {
  const { cert } = await newLeaf(commonName, authority);
  const chain = parseCertificatePem(cert).map(({ raw }) => raw);
  return { bearers: [], clientChain: () => chain };
}
