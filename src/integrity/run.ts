import type { RequestContext } from '../kernel/request/context.js';
import type { Resource } from '../kernel/declare/resource.js';
import type { Sql } from '../base/sql.js';
import type { Origin } from '../kernel/request/store-port.js';
import { originOf } from '../kernel/write/write.js';
import type { Findings } from './integrity-findings.js';

/** What is held in memory of the model, as far as the check looks at it. */
export interface HeldModel {
  /** Where something else is held than the database says; what is on its way here counts as held. */
  differences(resource: Resource): AsyncIterable<readonly HeldDifference[]>;
}

export interface HeldDifference {
  readonly id: string;
  /** `gone`: it is held, and there is no such row. */
  readonly kind: 'missing' | 'different' | 'gone';
  /** Of what is held; 0 where nothing is. */
  readonly revision: number;
}

/** One run of the check. */
export interface Run {
  readonly ctx: RequestContext;
  readonly held: HeldModel;
  /** Whether to put right what is safe to put right. */
  readonly fixing: boolean;
  readonly findings: Findings;
  /** Called after each slice: shows how far it is, and throws when the run is to end. */
  readonly checkpoint: () => Promise<void>;
}

/** Where statements go: to the store, or into a transaction. */
export interface Source {
  query<R>(statement: Sql<R>): Promise<R[]>;
}

/** The administrator who asked stays named, but the run may outlast the session. */
export const originOfRun = ({ ctx }: Run): Origin => ({ ...originOf(ctx), apiSessionId: null });
