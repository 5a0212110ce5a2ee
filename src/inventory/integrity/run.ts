import type { RequestContext } from '../../kernel/request/context.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { Sql } from '../../base/sql.js';
import type { Origin } from '../../kernel/request/store-port.js';
import { originOf } from '../../kernel/write/write.js';
import type { Findings } from './integrity-findings.js';

/** The model in memory, as far as the check reads it. */
export interface HeldModel {
  /** Gives the differences between memory and database; a change on its way is no difference. */
  differences(resource: Resource): AsyncIterable<readonly HeldDifference[]>;
}

export interface HeldDifference {
  readonly id: string;
  /** `gone` means that the row exists only in memory. */
  readonly kind: 'missing' | 'different' | 'gone';
  /** The revision in memory; 0 for a missing row. */
  readonly revision: number;
}

/** One run of the check. */
export interface Run {
  readonly ctx: RequestContext;
  readonly held: HeldModel;
  /** Whether to repair faults that are safe to repair. */
  readonly fixing: boolean;
  readonly findings: Findings;
  /** Called after each slice: stores the progress, and throws when the run must end. */
  readonly checkpoint: () => Promise<void>;
}

/** Runs statements: the store, or a transaction. */
export interface Source {
  query<R>(statement: Sql<R>): Promise<R[]>;
}

/** Keeps the administrator who started the run, without the session, which may end earlier. */
export const originOfRun = ({ ctx }: Run): Origin => ({ ...originOf(ctx), apiSessionId: null });
