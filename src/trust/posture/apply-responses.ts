import { attributesOf } from '../../kernel/declare/attribute.js';
import type { PostureData } from './declared-values.js';
import { reportTypes, responseTypes, type AnyReport } from './posture-types.js';
import type { PostureResponse } from './read-posture-responses.js';
import type { SessionPosture } from '../../data/rows/posture/index.js';
import { PostureReport, type ReportStamp } from './types/report.js';

export interface AppliedResponses {
  /** The object that was given in when no response concerned it. */
  readonly data: PostureData;
  readonly session: SessionPosture;
  /** Whether any verdict can differ now: saying the same again moves `lastUpdatedAt` alone. */
  readonly changed: boolean;
}

/** Posture data as far as all types are alike: a report by member, or a list of them. */
type ReportsByMember = Readonly<Record<string, ReportStamp | readonly ReportStamp[] | undefined>>;

const listOf = (data: ReportsByMember, member: string): readonly ReportStamp[] => {
  const reports = data[member];
  return Array.isArray(reports) ? (reports as readonly ReportStamp[]) : [];
};

function withReport(
  data: PostureData,
  type: AnyReport,
  response: PostureResponse,
  now: number,
): PostureData {
  const report = { postureCheckId: response.id, lastUpdatedAt: now, ...type.read(response) };
  const stored = type.list ? type.list.add(listOf(data, type.member), report) : report;
  return { ...data, [type.member]: stored };
}

const shownMembers = ({ shape }: AnyReport): readonly string[] => {
  const stamp = new Set(attributesOf(PostureReport).map(({ name }) => name));
  return attributesOf(shape)
    .map(({ name }) => name)
    .filter((name) => !stamp.has(name));
};

/** The part of the reports of one type on which verdicts depend. */
function stateOfReports(data: ReportsByMember, type: AnyReport): unknown {
  if (type.list) return type.list.state(listOf(data, type.member));
  const report = data[type.member] as Readonly<Record<string, unknown>> | undefined;
  return report ? shownMembers(type).map((name) => report[name]) : null;
}

/** The state on which verdicts depend, as a text that is equal for equal states. */
const stateOf = (data: PostureData): string =>
  JSON.stringify(reportTypes.map((type) => stateOfReports(data, type)));

interface DeviceState {
  readonly data: PostureData;
  readonly session: SessionPosture;
}

function withResponse(
  { data, session }: DeviceState,
  response: PostureResponse,
  now: number,
): DeviceState {
  const type = responseTypes.find(({ typeId }) => typeId === response.typeId);
  return {
    data: type?.report ? withReport(data, type.report, response, now) : data,
    session: type?.applyToSession?.(session, response, now) ?? session,
  };
}

/** The data to store after responses that arrived at `now`, in their order. */
export function applyResponses(
  data: PostureData,
  session: SessionPosture,
  responses: readonly PostureResponse[],
  now: number,
): AppliedResponses {
  const after = responses.reduce<DeviceState>(
    (state, response) => withResponse(state, response, now),
    { data, session },
  );
  const changed = after.session !== session || stateOf(after.data) !== stateOf(data);
  return { ...after, changed };
}
