import { attribute, bool, text, textSet, time } from '../../kernel/declare/attribute.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import {
  certificateDetails,
  parseCertificatePem,
  storedCertificates,
} from '../../trust/pki/index.js';

/** The contents of a certificate, read from its PEM. */
export class CertificateDetails {
  @attribute(text(), { description: 'Its subject: `O=example, CN=router 1`.' })
  subject!: string;

  @attribute(text(), { description: 'The subject of the authority that issued it.' })
  issuer!: string;

  @attribute(text(), { description: 'Its serial number in lower-case hex.' })
  serialNumber!: string;

  @attribute(textSet(), {
    description: 'Its alternative names: `DNS:a.example`, `IP:10.0.0.1`, `URI:…`, `email:…`.',
  })
  names!: string[];

  @attribute(textSet(), {
    description:
      'What it is for: `clientAuth`, `serverAuth`, or other object identifiers; none: any.',
  })
  usages!: string[];

  @attribute(bool(), { description: 'Whether it is the certificate of an authority.' })
  isAuthority!: boolean;

  @attribute(text(), { description: 'Kind and size of its key: `EC P-256`, `RSA 4096`.' })
  key!: string;

  @attribute(text(), { description: 'SHA-1 of the certificate in lower-case hex.' })
  fingerprint!: string;

  @attribute(time(), { description: 'When it begins.' })
  notBefore!: Date;

  @attribute(time(), { description: 'When it ends.' })
  notAfter!: Date;
}

function detailsOf(certificate: Parameters<typeof certificateDetails>[0]): CertificateDetails {
  const { names, usages, ...others } = certificateDetails(certificate);
  return { ...others, names: [...names], usages: [...usages] };
}

function detailsIn(pem: string | null): CertificateDetails | null {
  if (pem === null || pem === '') return null;
  try {
    return detailsOf(parseCertificatePem(pem)[0]);
  } catch {
    // Older releases stored certificates that can not be parsed today.
    return null;
  }
}

const DETAILS = {
  description: 'What the first certificate in it says; null without a certificate.',
  write: 'never',
  nullable: true,
  graphOnly: true,
} as const;

/** Of the first certificate in `certPem`. */
export const DETAILS_OF_PEM = {
  ...DETAILS,
  compute: computeFrom<'Authenticator'>()(['certPem'], (rows) =>
    rows.map(({ certPem }) => detailsIn(certPem)),
  ),
} as const;

/** Of the first certificate in `certificate`. */
export const DETAILS_OF_CERTIFICATE = {
  ...DETAILS,
  compute: computeFrom<'ApiSessionCertificate'>()(['certificate'], (rows) =>
    rows.map(({ certificate }) => detailsIn(certificate)),
  ),
} as const;

/** Of all certificates in `bundleRoots`. */
export const DETAILS_OF_BUNDLE = {
  description: 'What the certificates of the bundle say; empty without a bundle.',
  write: 'never',
  graphOnly: true,
  compute: computeFrom<'CertificateAuthority'>()(['bundleRoots'], (rows) =>
    rows.map(({ bundleRoots }) => storedCertificates(bundleRoots ?? '').map(detailsOf)),
  ),
} as const;
