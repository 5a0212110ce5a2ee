import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { rootTemplate } from '../../../src/trust/pki/certificate-profiles.js';
import { issueCertificate } from '../../../src/trust/pki/issue-certificate.js';

/** A new self-signed certificate as PEM. */
export async function certificatePem(name: string): Promise<string> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const template = rootTemplate(createPublicKey(privateKey), name, new Date());
  const certificate = await issueCertificate(template, { privateKey });
  return certificate.toString();
}
