import { passesAfter } from './mfa-rule.js';
import type {
  ClientSdk,
  OsReport,
  PostureData,
  ProcessReport,
  Report,
  SessionPosture,
} from './posture-data.js';
import type { PostureCheckSpec } from './verdict.js';

interface ReportView {
  /** Empty before there is a report. */
  readonly postureCheckId: string;
  readonly lastUpdatedAt: string | null;
  /** Reports of devices do not age. */
  readonly timedOut: false;
}

export interface ProcessView extends ReportView {
  readonly binaryHash: string;
  readonly isRunning: boolean;
  readonly signerFingerprints: readonly string[];
}

export interface SessionPostureView {
  readonly mfa: {
    readonly apiSessionId: string;
    readonly passedMfa: boolean;
    readonly passedAt: string | null;
    readonly passedOnWake: boolean;
    readonly passedOnUnlock: boolean;
  };
  readonly endpointState: { readonly wokenAt: string | null; readonly unlockedAt: string | null };
  readonly sdkInfo?: ClientSdk;
}

/** Schema `postureData`. */
export interface PostureDataView {
  readonly os: ReportView & { type: string; version: string; build: string };
  readonly domain: ReportView & { domain: string };
  readonly mac: ReportView & { addresses: readonly string[] };
  readonly processes: readonly ProcessView[];
  readonly apiSessionPostureData: Readonly<Record<string, SessionPostureView>>;
}

const instant = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();

const base = (report: Report | undefined): ReportView => ({
  postureCheckId: report?.postureCheckId ?? '',
  lastUpdatedAt: instant(report?.lastUpdatedAt),
  timedOut: false,
});

const processView = (report: ProcessReport): ProcessView => ({
  ...base(report),
  binaryHash: report.binaryHash,
  isRunning: report.isRunning,
  signerFingerprints: report.signerFingerprints,
});

/** Whether MFA answers the events is told as for a check that asks for it after both. */
const ASKING: PostureCheckSpec = {
  id: '',
  typeId: 'MFA',
  promptOnWake: true,
  promptOnUnlock: true,
};

const sessionView = (id: string, session: SessionPosture, now: number): SessionPostureView => ({
  mfa: {
    apiSessionId: id,
    passedMfa: session.passedMfaAt !== undefined,
    passedAt: instant(session.passedMfaAt),
    passedOnWake: passesAfter(ASKING, session, 'wokenAt', now),
    passedOnUnlock: passesAfter(ASKING, session, 'unlockedAt', now),
  },
  endpointState: { wokenAt: instant(session.wokenAt), unlockedAt: instant(session.unlockedAt) },
  ...(session.sdkInfo && { sdkInfo: session.sdkInfo }),
});

const NO_OS = { type: '', version: '', build: '' };

function osView(report: OsReport | undefined): PostureDataView['os'] {
  const { type, version, build } = report ?? NO_OS;
  return { ...base(report), type, version, build };
}

/** What an administrator sees of an identity; `sessions` are its API sessions by id. */
export const viewPostureData = (
  { os, domain, mac, processes }: PostureData,
  sessions: ReadonlyMap<string, SessionPosture>,
  now: number,
): PostureDataView => ({
  os: osView(os),
  domain: { ...base(domain), domain: domain?.domain ?? '' },
  mac: { ...base(mac), addresses: mac?.addresses ?? [] },
  processes: processes.map(processView),
  apiSessionPostureData: Object.fromEntries(
    [...sessions].map(([id, session]) => [id, sessionView(id, session, now)]),
  ),
});
