import type { Row } from '../../src/base/row.js';
import type { InProcess } from '../support/in-process.js';

/** A map of access, as clients read it. */

interface Node {
  readonly key: string;
  readonly kind: string;
  readonly count: number;
  readonly mergedCount: number;
  readonly isMerged: boolean;
  readonly isEmpty: boolean;
  readonly sampleNames: string[];
  readonly type: string | null;
  readonly change: string | null;
  readonly identityCount: number | null;
  readonly serviceCount: number | null;
  readonly edgeRouterCount: number | null;
}

interface Edge {
  readonly classKey: string;
  readonly policyKey: string;
  readonly side: string;
  readonly type: string | null;
  readonly count: number;
  readonly isComplete: boolean;
  readonly change: string | null;
}

export interface ShownMap {
  readonly nodes: Node[];
  readonly edges: Edge[];
  readonly isMerged: boolean;
  readonly identityCount: number;
}

const NODE = `key kind count isMerged mergedCount roleAttribute sampleNames type isEmpty change
  identityCount serviceCount edgeRouterCount`;
const MAP = `{ isMerged identityCount serviceCount edgeRouterCount policyCount identityClassCount serviceClassCount edgeRouterClassCount
  nodes { ${NODE} } edges { classKey policyKey side type count isComplete change } }`;

const TYPES = { changes: '[ModelChangeInput!]', at: 'String' };

/** Declares the variables that arguments use. */
function declared(args: string): string {
  const used = Object.entries(TYPES).filter(([name]) => args.includes(`$${name}`));
  return used.length === 0 ? '' : `(${used.map(([name, type]) => `$${name}: ${type}`).join()})`;
}

export async function readMap(on: InProcess, args: string, variables: Row): Promise<ShownMap> {
  const { accessMap } = await on.read<{ accessMap: ShownMap }>(
    `query ${declared(args)} { accessMap${args} ${MAP} }`,
    variables,
  );
  return accessMap;
}

export const named = ({ nodes }: ShownMap, kind: string): string[] =>
  nodes.filter((node) => node.kind === kind).map((node) => node.sampleNames.join());

/** Edges with the names of both ends. */
export const joined = ({ nodes, edges }: ShownMap): string[] => {
  const names = new Map(nodes.map(({ key, sampleNames }) => [key, sampleNames.join()]));
  return edges
    .map(({ classKey, policyKey, type, change }) =>
      [names.get(classKey), names.get(policyKey), type, change].filter(Boolean).join(' | '),
    )
    .sort();
};

/** The code of the error, and its field. */
export async function readRefusal(
  on: InProcess,
  args: string,
  variables: Row,
  ctx: ReturnType<InProcess['ctx']>,
): Promise<unknown> {
  const { errors } = await on.graph(
    `query ${declared(args)} { accessMap${args} { isMerged } }`,
    variables,
    ctx,
  );
  const detail = errors[0]?.detail;
  return [errors[0]?.code, detail?.kind === 'field' ? detail.field : undefined];
}
