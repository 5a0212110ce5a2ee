import {
  describeCertificate,
  describeDirectory,
  type DescribedCertificate,
  type DirectoryDescription,
  type keyDirectoryAt,
} from '../../trust/pki/index.js';
import { table } from './text-table.js';

const DAY_MS = 24 * 60 * 60_000;
const HEAD = ['certificate', 'subject', 'valid from', 'age', 'valid until', 'left', 'SHA-1'];

/** The generated certificates from the server's to the root, and how far a rollover is. */
export async function pkiReport(
  directory: ReturnType<typeof keyDirectoryAt>,
  now: Date,
): Promise<string> {
  const description = await describeDirectory(directory);
  const rows = description.certificates.map((described) => row(described, now));
  return [table(HEAD, rows), ...remarks(description)].join('\n');
}

function row({ role, certificate }: DescribedCertificate, now: Date): string[] {
  if (!certificate) return [role, 'not generated here'];
  const { notBefore, notAfter, fingerprint } = describeCertificate(certificate);
  return [
    role,
    certificate.subject.replaceAll('\n', ', '),
    day(notBefore),
    days(notBefore, now),
    day(notAfter),
    notAfter < now ? 'ended' : days(now, notAfter),
    fingerprint,
  ];
}

function remarks({ rollover, isServerBehind }: DirectoryDescription): string[] {
  const lines: string[] = [];
  if (rollover) {
    lines.push(
      `A rollover is under way since ${day(rollover.since)}: the old keys stay trusted until "overgraph pki`,
      `rollover finish". The last certificate of the old signer ends on ${day(rollover.lastLeafEnds)}.`,
    );
  }
  if (isServerBehind) {
    lines.push('The server certificate is renewed when a controller takes up the new signer.');
  }
  return lines.length > 0 ? ['', ...lines] : [];
}

const day = (date: Date): string => date.toISOString().slice(0, 10);

const days = (from: Date, to: Date): string =>
  `${String(Math.floor((to.getTime() - from.getTime()) / DAY_MS))} days`;
