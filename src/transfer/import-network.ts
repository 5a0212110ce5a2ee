import { ApiError } from '../base/errors.js';
import type { RequestContext } from '../kernel/request/context.js';
import { applyOperations } from './apply.js';
import { placeOf, type Fault } from './fault.js';
import { planImport } from './plan.js';
import type { Action, Operation, Outcome, Plan } from './planning.js';

export interface ImportCount extends Record<Action, number> {
  readonly type: string;
  /** Not written because the import was aborted. */
  failed: number;
}

export interface ImportedEntity {
  readonly type: string;
  readonly name: string;
  readonly action: Action;
}

export interface ImportResult {
  readonly importId: string;
  readonly dryRun: boolean;
  /** With any fault, nothing was written. */
  readonly faults: readonly Fault[];
  readonly faultCount: number;
  readonly ignored: readonly string[];
  readonly summary: readonly ImportCount[];
  readonly entities: readonly ImportedEntity[];
  /** The reason why the import was aborted, or null. */
  readonly failure: string | null;
}

export interface ImportProgress {
  readonly phase: 'checking' | 'writing' | 'done';
  readonly done: number;
  readonly total: number;
}

/**
 * Imports a document: all of it is checked before anything is written. The change records of all its
 * transactions contain the import id of the context. A second run after an abort continues, because it
 * finds the written entities unchanged.
 */
export async function importNetwork(
  ctx: RequestContext & { readonly importId: string },
  document: unknown,
  dryRun: boolean,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportResult> {
  const plan = await planImport(ctx, document, (done, total) => {
    onProgress({ phase: 'checking', done, total });
  });
  const { faults, ignored } = plan;
  const result = {
    importId: ctx.importId,
    dryRun,
    faults: faults.listed,
    faultCount: faults.count,
    ignored,
  };
  if (faults.count > 0) return { ...result, summary: [], entities: [], failure: null };
  const total = plan.operations.length;
  let applied = dryRun ? total : 0;
  let failure: string | null = null;
  try {
    if (!dryRun) {
      await applyOperations(ctx, plan.operations, (done) => {
        applied = done;
        onProgress({ phase: 'writing', done, total });
      });
    }
  } catch (error) {
    failure = abortReason(error);
  }
  onProgress({ phase: 'done', done: applied, total });
  return { ...result, ...summaryOf(plan, applied), failure };
}

/** After the check, only a change of the network meanwhile can cause a refusal. */
function abortReason(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  const { detail } = error;
  const cause = detail?.kind === 'field' ? `${detail.field}: ${detail.reason}` : detail?.message;
  return `${error.message}${cause === undefined ? '' : ` (${cause})`}; import again to go on`;
}

function summaryOf(
  { outcomes, operations }: Plan,
  applied: number,
): Pick<ImportResult, 'summary' | 'entities'> {
  const unwritten = new Set(
    operations.slice(applied).map((operation: Operation) => operation.entry),
  );
  const counts = new Map<string, ImportCount>();
  for (const { entry, action } of outcomes) {
    const type = entry.section.name;
    const count = counts.get(type) ?? { ...NOTHING, type };
    count[unwritten.has(entry) ? 'failed' : action] += 1;
    counts.set(type, count);
  }
  return {
    summary: [...counts.values()],
    entities: outcomes.map(({ entry, action }: Outcome) => {
      const { section, name } = placeOf(entry);
      return { type: section, name, action };
    }),
  };
}

const NOTHING = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
