import { digestText } from './normal-form.js';
import type { ProcessReport } from './posture-data.js';
import type { PostureProcessOfMany } from './posture-check-fields.js';
import type { ActualProcess, CheckRule } from './verdict.js';

/** Nothing wanted is always met; what says nothing meets nothing. */
function meetsAny(wanted: readonly string[], found: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const allowed = new Set(wanted.map(digestText).filter(Boolean));
  return found.some((text) => allowed.has(digestText(text)));
}

interface Wanted {
  readonly hashes: readonly string[];
  readonly signerFingerprints: readonly string[];
}

const meets = (report: ProcessReport | undefined, wanted: Wanted): boolean =>
  report?.isRunning === true &&
  meetsAny(wanted.signerFingerprints, report.signerFingerprints) &&
  meetsAny(wanted.hashes, [report.binaryHash]);

const actual = (report: ProcessReport): ActualProcess => ({
  ...(report.path !== '' && { path: report.path }),
  isRunning: report.isRunning,
  hash: report.binaryHash,
  signerFingerprints: report.signerFingerprints,
});

const NOT_REPORTED: ActualProcess = { isRunning: false, hash: '', signerFingerprints: [] };

const ofCheck = (reports: readonly ProcessReport[], id: string): ProcessReport | undefined =>
  reports.findLast(({ postureCheckId }) => postureCheckId === id);

export const processRule: CheckRule<'PROCESS'> = {
  passes: ({ id, process }, { data: { processes } }) => {
    if (!process) return false;
    const { hashes, signerFingerprint } = process;
    const signerFingerprints = signerFingerprint === '' ? [] : [signerFingerprint];
    return meets(ofCheck(processes, id), { hashes, signerFingerprints });
  },
  failure: ({ id, process }, { data: { processes } }) => {
    const report = ofCheck(processes, id);
    return { actualValue: report ? actual(report) : NOT_REPORTED, expectedValue: process ?? null };
  },
};

/** Whoever reported the program of a path: the latest counts. */
const ofPath = (reports: readonly ProcessReport[], path: string): ProcessReport | undefined =>
  path === '' ? undefined : reports.findLast((report) => report.path === path);

export const processMultiRule: CheckRule<'PROCESS_MULTI'> = {
  passes: ({ semantic, processes }, { data }) => {
    const wanted = processes ?? [];
    // An empty path is never reported: it fails all of them, and any other may do.
    const isMet = (one: PostureProcessOfMany): boolean =>
      meets(ofPath(data.processes, one.path), one);
    if (wanted.length === 0) return false;
    return semantic === 'AnyOf' ? wanted.some(isMet) : wanted.every(isMet);
  },
  failure: ({ semantic, processes }, { data }) => ({
    actualValue: (processes ?? [])
      .map(({ path }) => ofPath(data.processes, path))
      .filter((report) => report !== undefined)
      .map(actual),
    expectedValue: processes ?? [],
    semantic: semantic ?? 'AllOf',
  }),
};
