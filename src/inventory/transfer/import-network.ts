import type { ApiError } from '../../base/errors.js';
import {
  attribute,
  bool,
  described,
  id,
  int,
  list,
  objects,
  text,
} from '../../kernel/declare/attribute.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { ImportFault, placeOf } from './fault.js';
import { planImport } from './plan.js';
import type { Action, Plan } from './planning.js';
import { plannedOutcomes, writePlan, type WrittenPlan } from './write-plan.js';

@described('The result for one section.')
class ImportCount {
  @attribute(text(), { description: 'Section.' })
  readonly type!: string;

  @attribute(int(), { description: 'New in the network.' })
  created!: number;

  @attribute(int(), { description: 'In the network before, and changed.' })
  updated!: number;

  @attribute(int(), { description: 'In the network before, as in the document.' })
  unchanged!: number;

  @attribute(int(), { description: 'Ignored, because the controller manages them itself.' })
  skipped!: number;

  @attribute(int(), { description: 'Not written because the import was aborted.' })
  failed!: number;
}

@described('The result for one entity.')
class ImportedEntity {
  @attribute(text(), { description: 'Section.' })
  readonly type!: string;

  @attribute(text(), { description: 'Name.' })
  readonly name!: string;

  @attribute(text<Action>(), { description: '`created`, `updated`, `unchanged` or `skipped`.' })
  readonly action!: Action;
}

@described('The outcome of an import.')
export class ImportResult {
  @attribute(id(), { description: 'The id in the change records of the import.' })
  readonly importId!: string;

  @attribute(bool(), { description: 'Whether the import only simulates.' })
  readonly dryRun!: boolean;

  @attribute(objects(() => ImportFault), {
    description: 'The first 1,000 faults of the document. With any, nothing was written.',
  })
  readonly faults!: readonly ImportFault[];

  @attribute(int(), { description: 'Number of faults.' })
  readonly faultCount!: number;

  @attribute(list(text()), { description: 'Members of the document that the import ignores.' })
  readonly ignored!: readonly string[];

  @attribute(objects(() => ImportCount), { description: 'The results for the sections.' })
  readonly summary!: readonly ImportCount[];

  @attribute(objects(() => ImportedEntity), { description: 'The result for each entity.' })
  readonly entities!: readonly ImportedEntity[];

  @attribute(text(), {
    nullable: true,
    description: 'The reason why it was aborted. Written entities stay; another import continues.',
  })
  readonly failure!: string | null;
}

type Phase = 'checking' | 'writing' | 'done';

@described('The progress of an import.')
export class ImportState {
  @attribute(text<Phase>(), { description: '`checking`, `writing` or `done`.' })
  readonly phase!: Phase;

  @attribute(int(), { description: 'Entities checked, or written in whole transactions.' })
  readonly done!: number;

  @attribute(int(), { description: 'Entities to check, or to write.' })
  readonly total!: number;
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
  onProgress: (state: ImportState) => void,
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
