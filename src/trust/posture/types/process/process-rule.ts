import { digestText } from '../../normal-form.js';
import type { OsType } from '../../operating-system.js';
import type { ProcessReport } from './process-reports.js';

/** How a reported program is compared with one that a check wants. */

/** An empty list of wanted values is always met; an empty report meets no value. */
function meetsAny(wanted: readonly string[], reported: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const allowed = new Set(wanted.map(digestText).filter(Boolean));
  return reported.some((text) => allowed.has(digestText(text)));
}

interface WantedProcess {
  readonly hashes: readonly string[];
  readonly signerFingerprints: readonly string[];
}

export const meetsProcess = (report: ProcessReport | undefined, wanted: WantedProcess): boolean =>
  report?.isRunning === true &&
  meetsAny(wanted.signerFingerprints, report.signerFingerprints) &&
  meetsAny(wanted.hashes, [report.binaryHash]);

/** A process as reported; empty when it was not. */
export interface ActualProcess {
  readonly path?: string;
  readonly osType?: OsType;
  readonly isRunning: boolean;
  readonly hash: string;
  readonly signerFingerprints: readonly string[];
}

const NOT_REPORTED: ActualProcess = { isRunning: false, hash: '', signerFingerprints: [] };

export function actualProcess(report: ProcessReport | undefined): ActualProcess {
  if (!report) return NOT_REPORTED;
  const { path, isRunning, binaryHash, signerFingerprints } = report;
  return { ...(path !== '' && { path }), isRunning, hash: binaryHash, signerFingerprints };
}
