import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { routerPresence } from '../router/index.js';

/*
 * Questions to nodes and their answers, for a few seconds: any process asks, and the one answers that
 * serves the node.
 */

/** The parts of routers that can be compared with what the controller has. */
export type Validation =
  | 'DATA_MODEL'
  | 'LINKS'
  | 'CIRCUITS'
  | 'TERMINATORS'
  | 'SDK_TERMINATORS'
  | 'TUNNELER_TERMINATORS'
  | 'IDENTITY_CONNECTIONS';

/** A question to nodes. */
export interface NodeQuestion {
  /** The names of the values that are asked for, or the ids of the terminators to validate. */
  readonly names: readonly string[];
  /** The kind of validation; null for a question about values. */
  readonly validation: Validation | null;
  /** Whether a validation mends what it can. */
  readonly fixes: boolean;
}

/** A question to nodes: routers and controllers. */
export interface Question extends NodeQuestion {
  readonly id: string;
  readonly nodeIds: readonly string[];
  /** The process that asks waits for answers until then. */
  readonly until: Date;
}

/**
 * Stores a question with the next version, and deletes those whose process has not deleted them in
 * time.
 */
export async function ask(
  rows: Rows,
  { id, nodeIds, names, validation, fixes, until }: Question,
  now: Date,
): Promise<void> {
  await rows.query(
    sql`with ${routerPresence.NEXT_VERSION}, ended as (delete from inspection where until < ${now}::timestamptz)
      insert into inspection (id, version, node_ids, names, validation, fixes, until)
      select ${id}::text, v.version, ${nodeIds}::text[], ${names}::text[], ${validation}::text, ${fixes}::boolean,
        ${until}::timestamptz from v`,
  );
}

/** Gives the questions after one version, up to another. */
export const between = (rows: Rows, version: bigint, last: bigint): Promise<Question[]> =>
  rows.readModel((models) =>
    models.inspection.findMany({
      where: { version: { gt: version, lte: last } },
      select: {
        ...{ id: true, nodeIds: true, names: true, validation: true, fixes: true },
        ...{ until: true },
      },
      orderBy: { version: 'asc' },
    }),
  );

/** The answer of a node, as a text. */
export type Answer = Pick<TableRow<'InspectionAnswer'>, 'nodeId' | 'answer'>;

/** Stores an answer if there is none, unless nobody waits for it any more: it depends on the question. */
export async function answer(
  rows: Rows,
  id: string,
  { nodeId, answer: text }: Answer,
): Promise<void> {
  await rows.query(
    sql`insert into inspection_answer (inspection_id, node_id, answer)
      select i.id, ${nodeId}::text, ${text}::text from inspection i where i.id = ${id}::text
      on conflict (inspection_id, node_id) do nothing`,
  );
}

/** Gives a few of the answers that have come beside those of any number of nodes. */
export const answers = (
  rows: Rows,
  id: string,
  knownNodeIds: readonly string[],
  limit: number,
): Promise<Answer[]> =>
  rows.query(
    sql<Answer>`select node_id as "nodeId", answer from inspection_answer
      where inspection_id = ${id}::text and not node_id = any(${knownNodeIds}::text[])
      limit ${limit}::int`,
  );

/** Deletes a question with its answers. */
export const remove = (rows: Rows, id: string): Promise<unknown> =>
  rows.writeModel((models) => models.inspection.deleteMany({ where: { id } }));

declare module '../../prisma/models.js' {
  interface ColumnShapes {
    readonly Inspection: Pick<Question, 'validation'>;
  }
}
