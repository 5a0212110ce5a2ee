import { attribute, object, oneOf, text } from '../../kernel/declare/attribute.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import { certificateAuthorities } from '../../data/rows/certificate-authority/index.js';

const TEXTS = {
  AUTHORITY_NOT_VERIFIED:
    'The certificate authority is not verified: its certificates neither enroll nor log in. To verify it, let it issue a certificate whose common name is its verificationToken, and send that to verifyCertificateAuthority (REST: POST /cas/{id}/verify).',
  BUNDLE_NOT_DOWNLOADED:
    'The bundle of the trust domain was not downloaded yet: its X509-SVIDs do not log in. The error of bundleState says why.',
  AUTHORITY_DOES_NOT_ENROLL:
    'The certificate authority may not enroll by one-time tokens. To allow it, set its isOttCaEnrollmentEnabled to true.',
} as const;

type WarningCode = keyof typeof TEXTS;

/** Why something is stored, but does not work yet. */
export class Warning {
  @attribute(
    oneOf('WarningCode', {
      AUTHORITY_NOT_VERIFIED: 'The certificate authority is not verified.',
      BUNDLE_NOT_DOWNLOADED: 'The bundle of the trust domain was not downloaded yet.',
      AUTHORITY_DOES_NOT_ENROLL: 'The certificate authority may not enroll by one-time tokens.',
    } satisfies Record<WarningCode, string>),
    { description: 'What is wrong.' },
  )
  code!: WarningCode;

  @attribute(text(), { description: 'The same as a text, and what to do.' })
  text!: string;
}

/** The attribute `warning`. */
export const WARNING = object(() => Warning);

const warningOf = (code: WarningCode): Warning => ({ code, text: TEXTS[code] });

const OPTIONS = { write: 'never', nullable: true, graphOnly: true } as const;

export const AUTHORITY_WARNING = {
  ...OPTIONS,
  description: 'Why its certificates do not count yet; null if they may.',
  compute: computeFrom<'CertificateAuthority'>()(['isVerified', 'bundleEndpoint'], (rows) =>
    rows.map(({ isVerified, bundleEndpoint }) =>
      isVerified
        ? null
        : warningOf(bundleEndpoint ? 'BUNDLE_NOT_DOWNLOADED' : 'AUTHORITY_NOT_VERIFIED'),
    ),
  ),
} as const;

export const ENROLLMENT_WARNING = {
  ...OPTIONS,
  description:
    'Why nobody can enroll by it at present, of method `ottca`; null if that is possible.',
  compute: computeFrom<'Enrollment'>()(['method', 'caId'], async (rows, ctx) => {
    const ids = rows.flatMap(({ method, caId }) => (method === 'ottca' && caId ? [caId] : []));
    if (ids.length === 0) return rows.map(() => null);
    const authorities = await certificateAuthorities.enrollmentStates(ctx.store, ids);
    const byId = new Map(authorities.map((authority) => [authority.id, authority]));
    return rows.map(({ caId }) => {
      const authority = byId.get(caId ?? '');
      if (!authority) return null;
      if (!authority.isVerified) return warningOf('AUTHORITY_NOT_VERIFIED');
      return authority.isOttCaEnrollmentEnabled ? null : warningOf('AUTHORITY_DOES_NOT_ENROLL');
    });
  }),
} as const;
