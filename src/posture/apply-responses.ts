import { digestText, distinct, macDigits } from './normal-form.js';
import type { PostureData, ProcessReport, SessionPosture } from './posture-data.js';
import type { PostureResponse } from './read-posture-responses.js';

/** The oldest reports go first; no network asks one device about as many. */
const MAX_PROCESSES = 500;

type Of<T extends PostureResponse['typeId']> = Extract<PostureResponse, { typeId: T }>;

export interface AppliedResponses {
  /** The object that was given in when no response concerned it. */
  readonly data: PostureData;
  readonly session: SessionPosture;
  /** Whether any verdict can differ now: saying the same again moves `lastUpdatedAt` alone. */
  readonly changed: boolean;
}

function withProcess(
  reports: readonly ProcessReport[],
  response: Of<'PROCESS'>,
  now: number,
): ProcessReport[] {
  const { id, path, isRunning, hash, signerFingerprints } = response;
  const others = reports.filter((r) => r.postureCheckId !== id || r.path !== path);
  const report: ProcessReport = {
    postureCheckId: id,
    lastUpdatedAt: now,
    path,
    isRunning,
    binaryHash: digestText(hash),
    signerFingerprints: distinct(signerFingerprints.map(digestText)),
  };
  return [...others, report].slice(-MAX_PROCESSES);
}

function withReport(
  data: PostureData,
  response: Exclude<PostureResponse, Of<'ENDPOINT_STATE'>>,
  now: number,
): PostureData {
  const stamp = { postureCheckId: response.id, lastUpdatedAt: now };
  switch (response.typeId) {
    case 'OS': {
      const { type, version, build } = response;
      return { ...data, os: { ...stamp, type, version, build } };
    }
    case 'DOMAIN':
      return { ...data, domain: { ...stamp, domain: response.domain } };
    case 'MAC':
      return {
        ...data,
        mac: { ...stamp, addresses: distinct(response.macAddresses.map(macDigits)) },
      };
    case 'PROCESS':
      return { ...data, processes: withProcess(data.processes, response, now) };
  }
}

/** An event that is not reported leaves the last one of its kind as it is. */
function withEvents(
  session: SessionPosture,
  { woken, unlocked }: Of<'ENDPOINT_STATE'>,
  now: number,
): SessionPosture {
  if (!woken && !unlocked) return session;
  return { ...session, ...(woken && { wokenAt: now }), ...(unlocked && { unlockedAt: now }) };
}

/** The reports that count, by check and by path. */
function countingReports(reports: readonly ProcessReport[]): Map<string, unknown> {
  const counting = new Map<string, unknown>();
  for (const { postureCheckId, path, isRunning, binaryHash, signerFingerprints } of reports) {
    const state = [path, isRunning, binaryHash, signerFingerprints];
    counting.set(`check ${postureCheckId}`, state);
    if (path !== '') counting.set(`path ${path}`, state);
  }
  return counting;
}

/** What verdicts depend on, as a text that is equal for equal states. */
const stateOf = ({ os, domain, mac, processes }: PostureData): string =>
  JSON.stringify([
    os ? [os.type, os.version, os.build] : null,
    domain ? domain.domain : null,
    mac ? mac.addresses : null,
    [...countingReports(processes)].map((entry) => JSON.stringify(entry)).sort(),
  ]);

/** What is known after responses that arrived at `now`, in their order. */
export function applyResponses(
  data: PostureData,
  session: SessionPosture,
  responses: readonly PostureResponse[],
  now: number,
): AppliedResponses {
  let after = { data, session };
  for (const response of responses) {
    after =
      response.typeId === 'ENDPOINT_STATE'
        ? { ...after, session: withEvents(after.session, response, now) }
        : { ...after, data: withReport(after.data, response, now) };
  }
  const changed = after.session !== session || stateOf(after.data) !== stateOf(data);
  return { ...after, changed };
}
