import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { StartError } from '../../base/start-error.js';
import {
  readAuthorityRecord,
  removeUnnamed,
  rootInForce,
  writeAuthorityRecord,
} from './authority-record.js';
import { rootTemplate, signerTemplate } from './certificate-profiles.js';
import { earlier, notAfter, toPem } from './certificate.js';
import { issueCertificate, type CertificateIssuer } from './issue-certificate.js';
import { privateKeyPem, type KeyDirectory } from './key-directory.js';
import { ownAuthority } from './own-authority.js';

/**
 * Replaces the generated signer, or root and signer, while the old ones stay trusted. The old root
 * also certifies a new one. Nothing takes effect before the record is written, the last step.
 */
export async function rollOver(
  directory: KeyDirectory,
  what: 'signer' | 'root',
  now: Date,
): Promise<void> {
  const record = await readAuthorityRecord(directory);
  if (!(await directory.read(`${record.signer}.pem`))) {
    throw new StartError(
      `no signer was generated in ${directory.pathOf('')}`,
      'start a controller there first; with OVERGRAPH_SIGNER_CERT, replace that file instead',
    );
  }
  if (record.overlap) {
    throw new StartError(
      `a rollover is under way since ${record.overlap.since.toISOString()}`,
      'end it with "overgraph pki rollover finish" before the next one',
    );
  }
  const current = await ownAuthority(directory, now);
  // An interrupted rollover left these files.
  await removeUnnamed(directory, record);
  const tag = randomBytes(4).toString('hex');
  const root = what === 'root' ? await newRoot(directory, current.root, tag, now) : current.root;
  await newSigner(directory, root, tag, now);
  await writeAuthorityRecord(directory, {
    generation: record.generation + 1,
    roots: what === 'root' ? [...record.roots, `root-${tag}`] : record.roots,
    signer: `signer-${tag}`,
    ended: record.ended,
    overlap: {
      since: now,
      signer: record.signer,
      root: what === 'root' ? rootInForce(record) : undefined,
    },
  });
}

/**
 * Ends the trust in the authorities that a rollover replaced, and deletes their keys. Certificates
 * stay: those of roots as proof that the network is the same, those of signers to be recognised.
 */
export async function finishRollover(directory: KeyDirectory): Promise<void> {
  const record = await readAuthorityRecord(directory);
  const { overlap } = record;
  const finished = overlap
    ? {
        ...record,
        generation: record.generation + 1,
        ended: [...record.ended, overlap.signer],
        overlap: undefined,
      }
    : record;
  if (overlap) await writeAuthorityRecord(directory, finished);
  // Also without an overlap: an interrupted end may have left keys here.
  const removed = await removeUnnamed(directory, finished);
  if (overlap || removed > 0) return;
  throw new StartError(
    'no rollover is under way',
    'begin one with "overgraph pki rollover signer"',
  );
}

async function newRoot(
  directory: KeyDirectory,
  old: CertificateIssuer,
  tag: string,
  now: Date,
): Promise<CertificateIssuer> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const template = rootTemplate(createPublicKey(privateKey), tag, now);
  const root = { cert: await issueCertificate(template, { privateKey }), privateKey };
  const latest = earlier(template.notAfter, notAfter(old.cert));
  const cross = await issueCertificate({ ...template, notAfter: latest }, old);
  await writePair(directory, `root-${tag}`, root);
  await directory.write(`root-${tag}.cross.pem`, toPem([cross]));
  return root;
}

async function newSigner(
  directory: KeyDirectory,
  root: CertificateIssuer,
  tag: string,
  now: Date,
): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const template = signerTemplate(createPublicKey(privateKey), tag, now);
  const latest = earlier(template.notAfter, notAfter(root.cert));
  const cert = await issueCertificate({ ...template, notAfter: latest }, root);
  await writePair(directory, `signer-${tag}`, { cert, privateKey });
}

async function writePair(
  directory: KeyDirectory,
  name: string,
  { cert, privateKey }: CertificateIssuer,
): Promise<void> {
  await directory.write(`${name}.key`, privateKeyPem(privateKey));
  await directory.write(`${name}.pem`, toPem([cert]));
}
