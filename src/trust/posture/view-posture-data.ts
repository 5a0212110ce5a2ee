import type { JsonObject } from '../../base/row.js';
import { attributesOf } from '../../kernel/declare/attribute.js';
import { defaultOf } from '../../kernel/write/check-input.js';
import { rfc3339 } from './normal-form.js';
import type { PostureData } from './declared-values.js';
import { reportTypes, sessionViews, type AnyReport } from './posture-types.js';
import type { ClientSdk, SessionPosture } from '../../data/rows/posture/index.js';
import type { ReportStamp } from './types/report.js';

/** The view of an API session: those of the types, and the SDK of the client. */
export type SessionPostureView = JsonObject & { readonly sdkInfo?: ClientSdk };

/** Schema `postureData`: the reports by their members, and the sessions by their ids. */
export type PostureDataView = JsonObject & {
  readonly apiSessionPostureData: Readonly<Record<string, SessionPostureView>>;
};

/** A report of any type, by the names of its attributes. */
type StoredReport = ReportStamp & JsonObject;

/** Empty before there is a report; reports of devices do not age. */
function reportView(type: AnyReport, report: StoredReport | undefined): JsonObject {
  const values = attributesOf(type.shape).map(
    (a) => [a.name, report?.[a.name] ?? defaultOf(a)] as const,
  );
  return {
    ...Object.fromEntries(values),
    lastUpdatedAt: rfc3339(report?.lastUpdatedAt),
    timedOut: false,
  };
}

const viewOf = (type: AnyReport, stored: unknown): JsonObject | readonly JsonObject[] =>
  type.list
    ? ((stored ?? []) as StoredReport[]).map((report) => reportView(type, report))
    : reportView(type, stored as StoredReport | undefined);

const sessionView = (id: string, session: SessionPosture, now: number): SessionPostureView => ({
  ...Object.fromEntries(
    sessionViews.flatMap((view) => Object.entries(view.values(id, session, now))),
  ),
  ...(session.sdkInfo && { sdkInfo: session.sdkInfo }),
});

/** The view that administrators have of an identity; `sessions` are its API sessions by id. */
export function viewPostureData(
  data: PostureData,
  sessions: ReadonlyMap<string, SessionPosture>,
  now: number,
): PostureDataView {
  const stored: JsonObject = { ...data };
  return {
    ...Object.fromEntries(
      reportTypes.map((type) => [type.member, viewOf(type, stored[type.member])]),
    ),
    apiSessionPostureData: Object.fromEntries(
      [...sessions].map(([id, session]) => [id, sessionView(id, session, now)]),
    ),
  };
}
