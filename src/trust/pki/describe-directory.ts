import type { X509Certificate } from 'node:crypto';
import { readAuthorityRecord, rootInForce } from './authority-record.js';
import { isIssuedBy } from './certificate-chain.js';
import { earlier, notAfter } from './certificate.js';
import type { KeyDirectory } from './key-directory.js';
import { readOwnCertificate } from './own-pair.js';

export interface DescribedCertificate {
  readonly role: 'server' | 'signer' | 'root' | 'old signer' | 'old root';
  /** Undefined without a generated certificate. */
  readonly certificate: X509Certificate | undefined;
}

/** The generated certificates of a directory, for operators. */
export interface DirectoryDescription {
  /** From the server certificate up to the root, then those replaced by a rollover. */
  readonly certificates: readonly DescribedCertificate[];
  readonly rollover:
    | {
        readonly since: Date;
        /** The end of the last certificate of the old signer. */
        readonly lastLeafEnds: Date;
      }
    | undefined;
  /** Whether the server certificate still comes from the old signer; a controller renews it. */
  readonly isServerBehind: boolean;
}

const LEAF_LIFETIME_MS = 365 * 24 * 60 * 60_000;

export async function describeDirectory(directory: KeyDirectory): Promise<DirectoryDescription> {
  const record = await readAuthorityRecord(directory);
  const { overlap } = record;
  const [server, signer, root] = await Promise.all(
    ['server', record.signer, rootInForce(record)].map((name) => readIfThere(directory, name)),
  );
  const oldSigner = overlap && (await readOwnCertificate(directory, overlap.signer));
  const oldRoot = overlap?.root && (await readOwnCertificate(directory, overlap.root));
  return {
    certificates: [
      { role: 'server', certificate: server },
      { role: 'signer', certificate: signer },
      { role: 'root', certificate: root },
      ...(oldSigner ? [{ role: 'old signer', certificate: oldSigner } as const] : []),
      ...(oldRoot ? [{ role: 'old root', certificate: oldRoot } as const] : []),
    ],
    rollover: overlap &&
      oldSigner && {
        since: overlap.since,
        lastLeafEnds: earlier(
          new Date(overlap.since.getTime() + LEAF_LIFETIME_MS),
          notAfter(oldSigner),
        ),
      },
    isServerBehind:
      server !== undefined && oldSigner !== undefined && isIssuedBy(server, oldSigner),
  };
}

/** Gives the roots that clients of a controller here can trust; during a rollover the old one, too. */
export async function trustedRoots(directory: KeyDirectory): Promise<X509Certificate[]> {
  const { certificates } = await describeDirectory(directory);
  return certificates.flatMap(({ role, certificate }) =>
    certificate && role.endsWith('root') ? [certificate] : [],
  );
}

async function readIfThere(
  directory: KeyDirectory,
  name: string,
): Promise<X509Certificate | undefined> {
  const exists = (await directory.read(`${name}.pem`)) !== undefined;
  return exists ? readOwnCertificate(directory, name) : undefined;
}
