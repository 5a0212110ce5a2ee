import { afterAll } from '@jest/globals';
import type { Row } from '../../../../src/base/row.js';
import { sql } from '../../../../src/base/sql.js';
import { refreshBundles } from '../../../../src/trust/auth/index.js';
import type { CertificateIssuer } from '../../../../src/trust/pki/index.js';
import {
  bundleOf,
  newRoot,
  newServerCertificate,
  pemOf,
  serveBundle,
  type BundleServer,
} from '../../../support/bundle-server.js';
import type { InProcess } from '../../../support/in-process.js';
import { newAuthority } from '../certificates.js';

/** A trust domain of others with its bundle endpoint, and the authority for it. */
export interface TestTrustDomain {
  readonly name: string;
  readonly root: CertificateIssuer;
  readonly server: BundleServer;
  /** The authority of the server, not of the trust domain. */
  readonly serverCa: string;
  /** The input of its authority. */
  readonly input: Row;
}

let count = 0;
const servers: BundleServer[] = [];

afterAll(() => Promise.all(servers.map((server) => server.close())));

/** With a root and a server of its own; its bundle can be downloaded. */
export async function newTrustDomain(label = 'domain'): Promise<TestTrustDomain> {
  const name = `${label}-${String((count += 1))}.example`;
  const web = await newAuthority('authority of servers');
  const root = await newRoot(name);
  const server = await serveBundle(bundleOf([root]), await newServerCertificate(web));
  servers.push(server);
  const endpoint = { trustDomain: name, url: server.url, profile: 'HTTPS_WEB', ca: pemOf(web) };
  return { name, root, server, serverCa: pemOf(web), input: authorityOf(name, endpoint) };
}

export const authorityOf = (name: string, bundleEndpoint: Row): Row => ({
  name,
  isAuthEnabled: true,
  isAutoCaEnrollmentEnabled: false,
  isOttCaEnrollmentEnabled: false,
  identityRoles: [],
  bundleEndpoint,
});

export const enter = (controller: InProcess, { input }: TestTrustDomain): Promise<string> =>
  controller.create('CertificateAuthority', input);

/** Does what the controller does regularly; gives why the download of an authority was refused. */
export async function refresh(
  controller: InProcess,
  authorityId: string,
  allowPrivate = true,
): Promise<string | undefined> {
  const faults = new Map<string, string>();
  await refreshBundles(controller.anonymous(), {
    allowPrivate,
    onFault: (id, reason) => faults.set(id, reason),
  });
  return faults.get(authorityId);
}

/** Lets time pass by the clock of the database, until the next downloads. */
export const passSeconds = ({ parts }: InProcess, seconds: number): Promise<unknown> =>
  parts.store.query(
    sql`update certificate_authority set bundle_state = bundle_state
      || jsonb_build_object('nextAt', (bundle_state->>'nextAt')::timestamptz - make_interval(secs => ${seconds}::int))`,
  );

/** An authority as administrators see it. */
export interface ShownAuthority {
  readonly isVerified: boolean;
  readonly certPem: string;
  readonly fingerprint: string;
  readonly bundleRoots: string | null;
  readonly bundleRootDetails: readonly {
    readonly fingerprint: string;
    readonly isAuthority: boolean;
  }[];
  readonly warning: { readonly code: string } | null;
  readonly bundleState: {
    readonly sequence: string | null;
    readonly downloadedAt: string | null;
    readonly nextAt: string;
    readonly error: string | null;
  } | null;
}

export async function shown(controller: InProcess, id: string): Promise<ShownAuthority> {
  const { certificateAuthority } = await controller.read<{ certificateAuthority: ShownAuthority }>(
    `query ($id: ID!) { certificateAuthority(id: $id) { isVerified certPem fingerprint bundleRoots
      bundleRootDetails { fingerprint isAuthority } warning { code } bundleState { sequence downloadedAt nextAt error } } }`,
    { id },
  );
  return certificateAuthority;
}
