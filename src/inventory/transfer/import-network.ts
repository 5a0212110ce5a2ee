import type { ApiError } from '../../base/errors.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { placeOf, type Fault } from './fault.js';
import { planImport } from './plan.js';
import type { Action, Plan } from './planning.js';
import { plannedOutcomes, writePlan, type WrittenPlan } from './write-plan.js';

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
 * finds the written entities unchanged. When others change the same entities meanwhile, the import reads the
 * network again and goes on.
 */
export async function importNetwork(
  ctx: RequestContext & { readonly importId: string },
  document: unknown,
  dryRun: boolean,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportResult> {
  const planNow = (): Promise<Plan> =>
    planImport(ctx, document, (done, total) => {
      onProgress({ phase: 'checking', done, total });
    });
  const plan = await planNow();
  const { faults, ignored } = plan;
  const result = {
    importId: ctx.importId,
    dryRun,
    faults: faults.listed,
    faultCount: faults.count,
    ignored,
  };
  if (faults.count > 0) return { ...result, summary: [], entities: [], failure: null };
  if (dryRun) {
    const total = plan.operations.length;
    onProgress({ phase: 'done', done: total, total });
    return { ...result, ...summaryOf(plannedOutcomes(plan)), failure: null };
  }
  const { outcomes, applied, total, error } = await writePlan(ctx, plan, {
    planAgain: planNow,
    onProgress: (done, count) => {
      onProgress({ phase: 'writing', done, total: count });
    },
  });
  onProgress({ phase: 'done', done: applied, total });
  return { ...result, ...summaryOf(outcomes), failure: error ? abortReason(error) : null };
}

/** After the check, only a change of the network meanwhile can cause a refusal. */
function abortReason(error: ApiError): string {
  const { detail } = error;
  const cause = detail?.kind === 'field' ? `${detail.field}: ${detail.reason}` : detail?.message;
  return `${error.message}${cause === undefined ? '' : ` (${cause})`}; import again to go on`;
}

function summaryOf(outcomes: WrittenPlan['outcomes']): Pick<ImportResult, 'summary' | 'entities'> {
  const counts = new Map<string, ImportCount>();
  for (const { entry, action, isUnwritten } of outcomes) {
    const type = entry.section.name;
    const count = counts.get(type) ?? { ...NOTHING, type };
    count[isUnwritten ? 'failed' : action] += 1;
    counts.set(type, count);
  }
  return {
    summary: [...counts.values()],
    entities: outcomes.map(({ entry, action }) => {
      const { section, name } = placeOf(entry);
      return { type: section, name, action };
    }),
  };
}

const NOTHING = { created: 0, updated: 0, unchanged: 0, skipped: 0, failed: 0 };
