import { sql } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';
import { NEXT_VERSION } from './presence-table.js';

/** A question to nodes: routers and controllers. */
export interface InspectionRequest {
  readonly id: string;
  readonly nodeIds: readonly string[];
  /** The names of the values that are asked for. */
  readonly names: readonly string[];
  /** The process that asks waits for answers until then. */
  readonly until: Date;
}

export interface InspectedValue {
  readonly name: string;
  /** A text, or a value as JSON. */
  readonly value: string;
}

/** The answer of one node about itself. */
export interface NodeAnswer {
  readonly errors: readonly string[];
  readonly values: readonly InspectedValue[];
}

/** The answer of a node that gives no value. */
export const failedAnswer = (error: string): NodeAnswer => ({ errors: [error], values: [] });

export const NO_ANSWER_IN_TIME = failedAnswer('it did not answer in time');

/** Questions to nodes and their answers, for a few seconds: any process asks, and the one answers that serves the node. */
export class InspectionTable {
  constructor(private readonly store: Store) {}

  /** Stores a question, and deletes those whose process has not deleted them in time. */
  async ask({ id, nodeIds, names, until }: InspectionRequest, now: Date): Promise<void> {
    await this.store.query(
      sql`with ${NEXT_VERSION}, ended as (delete from inspection where until < ${now}::timestamptz) insert into inspection (id, version, node_ids, names, until)
        select ${id}::text, v.version, ${[...nodeIds]}::text[], ${[...names]}::text[], ${until}::timestamptz from v`,
    );
  }

  /** Gives the questions after one version, up to another. */
  between(version: bigint, last: bigint): Promise<InspectionRequest[]> {
    return this.store.query(
      sql<InspectionRequest>`select id, node_ids as "nodeIds", names, until from inspection
        where version > ${String(version)}::bigint and version <= ${String(last)}::bigint order by version`,
    );
  }

  /** Stores an answer, unless nobody waits for it any more. */
  async answer(inspectionId: string, nodeId: string, answer: string): Promise<void> {
    await this.store.query(
      sql`insert into inspection_answer (inspection_id, node_id, answer)
        select i.id, ${nodeId}::text, ${answer}::text from inspection i where i.id = ${inspectionId}::text
        on conflict (inspection_id, node_id) do nothing`,
    );
  }

  /** Gives a few of the answers that have come beside those of these nodes. */
  answers(
    inspectionId: string,
    knownNodeIds: readonly string[],
    limit: number,
  ): Promise<{ readonly nodeId: string; readonly answer: string }[]> {
    return this.store.query(
      sql<{
        nodeId: string;
        answer: string;
      }>`select node_id as "nodeId", answer from inspection_answer
        where inspection_id = ${inspectionId}::text and not node_id = any(${[...knownNodeIds]}::text[])
        limit ${limit}::int`,
    );
  }

  /** Deletes a question with its answers. */
  async remove(id: string): Promise<void> {
    await this.store.query(sql`delete from inspection where id = ${id}::text`);
  }
}
