import {
  FindingRows,
  type FindingKind,
  type FindingRowsResult,
  type Severity,
} from '../../emitted/operations.js';
import { askPartly } from '../../graph/ask.js';
import { SEVERITIES } from '../../addresses/findings-search.js';

export type Finding = NonNullable<FindingRowsResult['findings']>['nodes'][number];

export interface AllFindings {
  /** The worst first. */
  readonly findings: readonly Finding[];
  /** Their number, with those that were not read. */
  readonly total: number;
}

export interface FindingsWanted {
  /** Undefined stands for all. */
  readonly kinds?: readonly FindingKind[] | undefined;
  readonly severities?: readonly Severity[] | undefined;
  readonly isMutedWanted: boolean;
}

/** More of them are too many to look through. */
const MAX_READ = 5_000;

/** Reads the findings part by part. The graph orders them by kind. */
export async function readFindings(
  wanted: FindingsWanted,
  signal?: AbortSignal,
): Promise<AllFindings> {
  const findings: Finding[] = [];
  for (;;) {
    const { nodes, totalCount } = await readPart(wanted, findings.length, signal);
    findings.push(...nodes);
    if (nodes.length === 0 || findings.length >= Math.min(totalCount, MAX_READ)) {
      return { findings: worstFirst(findings), total: totalCount };
    }
  }
}

async function readPart(
  { kinds, severities, isMutedWanted }: FindingsWanted,
  offset: number,
  signal: AbortSignal | undefined,
): Promise<NonNullable<FindingRowsResult['findings']>> {
  const variables = { kinds, severities, includeMuted: isMutedWanted, offset };
  const { data, failures } = await askPartly(FindingRows, variables, signal ? { signal } : {});
  const [failure] = failures;
  if (!data?.findings && failure) throw failure;
  return data?.findings ?? { totalCount: 0, nodes: [] };
}

const worstFirst = (findings: readonly Finding[]): readonly Finding[] =>
  SEVERITIES.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
