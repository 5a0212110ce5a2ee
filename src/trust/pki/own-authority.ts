import { createPublicKey, randomBytes, type X509Certificate } from 'node:crypto';
import { StartError } from '../../base/start-error.js';
import { readAuthorityRecord, rootInForce, type AuthorityRecord } from './authority-record.js';
import { rootTemplate, signerTemplate } from './certificate-profiles.js';
import { issueCertificate, type CertificateIssuer } from './issue-certificate.js';
import type { KeyDirectory } from './key-directory.js';
import { ownPair, readOwnCertificate, RESTORE } from './own-pair.js';

export interface OwnAuthority {
  readonly root: CertificateIssuer;
  readonly signer: CertificateIssuer;
  /** The authorities that an unfinished rollover replaced: trusted until it is finished. */
  readonly retired: readonly X509Certificate[];
  /** Signers that have lost the trust, although their root may still have it. */
  readonly ended: readonly X509Certificate[];
  /** The root as certified by the retired one; empty unless a root is retired. */
  readonly crossSigned: readonly X509Certificate[];
  /** Earlier roots, and the certificates they issued: the proof of the root's origin. */
  readonly ancestry: readonly X509Certificate[];
}

/** Gives the generated authorities of the directory; the first use creates them. */
export async function ownAuthority(directory: KeyDirectory, now: Date): Promise<OwnAuthority> {
  const record = await readAuthorityRecord(directory);
  const { root, signer } = await pairsInForce(directory, record, now);
  const { overlap, roots, ended } = record;
  const named = (name: string): Promise<X509Certificate> => readOwnCertificate(directory, name);
  const all = (names: readonly string[]): Promise<X509Certificate[]> =>
    Promise.all(names.map(named));
  const crosses = await all(roots.slice(1).map((name) => `${name}.cross`));
  return {
    root,
    signer,
    retired: await all([overlap?.root, overlap?.signer].filter((name) => name !== undefined)),
    ended: await all(ended),
    crossSigned: overlap?.root === undefined ? [] : crosses.slice(-1),
    ancestry: [...(await all(roots.slice(0, -1))), ...crosses],
  };
}

/**
 * Writes the files of a first start in the order root key, root, signer key, signer, so that the next
 * start completes the files of a killed one.
 */
async function pairsInForce(
  directory: KeyDirectory,
  record: AuthorityRecord,
  now: Date,
): Promise<{ readonly root: CertificateIssuer; readonly signer: CertificateIssuer }> {
  const [rootName, signerName] = [rootInForce(record), record.signer];
  const isFirst = record.generation === 0;
  if (!(await directory.read(`${rootName}.pem`))) {
    const hasMore = !isFirst || (await directory.read(`${signerName}.pem`));
    if (hasMore) throw new StartError(`${directory.pathOf(`${rootName}.pem`)} is missing`, RESTORE);
  }
  if (!isFirst) await readOwnCertificate(directory, signerName);
  const tag = randomBytes(4).toString('hex');
  const root = await ownPair(directory, rootName, (privateKey) =>
    issueCertificate(rootTemplate(createPublicKey(privateKey), tag, now), { privateKey }),
  );
  const signer = await ownPair(directory, signerName, (privateKey) =>
    issueCertificate(signerTemplate(createPublicKey(privateKey), tag, now), root),
  );
  return { root, signer };
}
