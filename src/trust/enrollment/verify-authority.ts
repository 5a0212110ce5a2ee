import type { RequestContext } from '../../kernel/request/context.js';
import { failure } from '../../base/errors.js';
import { currentRow, originOf, patchIn } from '../../kernel/write/write.js';
import {
  decodeCertificate,
  describeCertificate,
  isIssuedBy,
  parseCertificatePem,
} from '../pki/index.js';

const BLOCK = /-----BEGIN ([^-\r\n]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/;

/**
 * Marks an authority as verified by a certificate that it signed for its verification token.
 * @throws ApiError CA_ALREADY_VERIFIED and the refusals of the certificate
 */
export async function verifyAuthority(ctx: RequestContext, id: string, pem: string): Promise<void> {
  const authorities = ctx.catalog.resources.CertificateAuthority;
  await ctx.store.write(originOf(ctx), async (tx) => {
    const current = await currentRow(tx, authorities, id);
    if (current.isVerified) throw failure('CA_ALREADY_VERIFIED');
    const certificate = certificateIn(pem);
    if (describeCertificate(certificate).commonName !== current.verificationToken) {
      throw failure('INVALID_COMMON_NAME');
    }
    // The certificates of a bundle prove nothing here: its download does.
    const [authority] = current.bundleEndpoint === null ? parseCertificatePem(current.certPem) : [];
    if (!authority || !isIssuedBy(certificate, authority))
      throw failure('CERTIFICATE_FAILED_VALIDATION');
    await patchIn(tx, authorities, current, { isVerified: true });
  });
}

function certificateIn(pem: string) {
  const [, label, base64] = BLOCK.exec(pem) ?? [];
  if (label === undefined || base64 === undefined) throw failure('COULD_NOT_PARSE_BODY');
  if (label !== 'CERTIFICATE') throw failure('EXPECTED_PEM_CERTIFICATE');
  const certificate = decodeCertificate(Buffer.from(base64, 'base64'));
  if (!certificate) throw failure('COULD_NOT_PARSE_DER_BLOCK');
  return certificate;
}
