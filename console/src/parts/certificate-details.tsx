import type { ReactNode } from 'react';
import type { Certificate } from '../emitted/operations.js';
import { texts } from '../texts.js';
import { Instant } from './instant.js';

const DAY_MS = 86_400_000;
/** A certificate that ends sooner is pointed out. */
const SOON_DAYS = 30;

export const subjectOf = (value: unknown): string =>
  (value as Certificate | null)?.subject ?? texts.none;

/** Tells a certificate in words. */
export function CertificateDetails({ details }: { details: Certificate }) {
  const { subject, issuer, serialNumber, names, key, fingerprint } = details;
  const rows: readonly (readonly [string, ReactNode])[] = [
    [texts.certificate.validity, <Validity key="validity" details={details} />],
    [texts.certificate.subject, subject],
    [texts.certificate.issuer, issuer === subject ? texts.certificate.itself : issuer],
    [texts.certificate.names, names.length === 0 ? texts.none : names.join(', ')],
    [texts.certificate.usages, usesOf(details)],
    [texts.certificate.key, key],
    [texts.certificate.fingerprint, <code key="fingerprint">{fingerprint}</code>],
    [texts.certificate.serialNumber, <code key="number">{serialNumber}</code>],
  ];
  return (
    <dl className="attributes inner">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A certificate without usages is for any. */
function usesOf({ usages, isAuthority }: Certificate): string {
  const { usageNames, anyUse, authority } = texts.certificate;
  const named = usages.map((usage) => usageNames[usage] ?? usage);
  const uses = [...(isAuthority ? [authority] : []), ...named];
  return uses.length === 0 ? anyUse : uses.join(', ');
}

function Validity({ details: { notBefore, notAfter } }: { details: Certificate }) {
  const { tone, text } = stateOf(Date.parse(notBefore), Date.parse(notAfter), Date.now());
  return (
    <>
      {texts.certificate.from} <Instant at={notBefore} /> {texts.certificate.until}{' '}
      <Instant at={notAfter} /> <span className={`tag ${tone}`}>{text}</span>
    </>
  );
}

function stateOf(begin: number, end: number, now: number): { tone: string; text: string } {
  const { begins, endsIn, endedAgo } = texts.certificate;
  if (now < begin) return { tone: 'bad', text: begins };
  if (now > end) return { tone: 'bad', text: endedAgo(Math.floor((now - end) / DAY_MS)) };
  const days = Math.floor((end - now) / DAY_MS);
  return { tone: days < SOON_DAYS ? 'warn' : 'good', text: endsIn(days) };
}
