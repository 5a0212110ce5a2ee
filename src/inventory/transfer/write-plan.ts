import { ApiError, type ErrorCode } from '../../base/errors.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { applyOperations } from './apply.js';
import type { Entry } from './fault.js';
import type { Action, Outcome, Plan } from './planning.js';

/** Attempts to write a document, each planned on what the network has by then. */
const MAX_ATTEMPTS = 3;

/**
 * Codes of a write that the plan has found valid: somebody else has changed the network since. It may be an
 * earlier import of the same document that was interrupted, and whose last transaction was still under way.
 */
const CONFLICTS: ReadonlySet<ErrorCode> = new Set([
  'COULD_NOT_VALIDATE',
  'NOT_FOUND',
  'REVISION_CONFLICT',
]);

/** How the entities of a document end, after the last attempt. */
export interface WrittenPlan {
  readonly outcomes: readonly PlannedOutcome[];
  readonly total: number;
  readonly applied: number;
  /** The error that aborted the import. */
  readonly error: ApiError | undefined;
}

interface PlannedOutcome extends Outcome {
  /** Whether the abort left a write of the entity undone. */
  readonly isUnwritten: boolean;
}

interface WriteOptions {
  /** Plans the document again. */
  readonly planAgain: () => Promise<Plan>;
  readonly onProgress: (done: number, total: number) => void;
}

/** Writes a plan without faults; after a conflict it plans again and goes on. */
export async function writePlan(
  ctx: RequestContext,
  firstPlan: Plan,
  { planAgain, onProgress }: WriteOptions,
): Promise<WrittenPlan> {
  const writtenActions = new Map<string, Action>();
  let plan = firstPlan;
  for (let attempt = 1; ; attempt += 1) {
    const total = plan.operations.length;
    let applied = 0;
    const error = await refusalOf(
      applyOperations(ctx, plan.operations, (done) => {
        applied = done;
        onProgress(done, total);
      }),
    );
    const mayGoOn = error && CONFLICTS.has(error.code) && attempt < MAX_ATTEMPTS;
    const nextPlan = mayGoOn ? await planAgain() : undefined;
    if (!nextPlan || nextPlan.faults.count > 0) {
      return { outcomes: outcomesOf(plan, applied, writtenActions), total, applied, error };
    }
    for (const { entry, action } of writtenOutcomes(plan, applied)) {
      // An entity may be created by one attempt and completed by the next one.
      if (!writtenActions.has(keyOf(entry))) writtenActions.set(keyOf(entry), action);
    }
    plan = nextPlan;
  }
}

/** The outcomes of a plan of which nothing is written. */
export const plannedOutcomes = ({ outcomes }: Plan): PlannedOutcome[] =>
  outcomes.map((outcome) => ({ ...outcome, isUnwritten: false }));

async function refusalOf(work: Promise<void>): Promise<ApiError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function outcomesOf(
  { outcomes, operations }: Plan,
  applied: number,
  writtenActions: ReadonlyMap<string, Action>,
): PlannedOutcome[] {
  const unwritten = new Set(operations.slice(applied).map(({ entry }) => entry));
  return outcomes.map(({ entry, action }) => ({
    entry,
    action: writtenActions.get(keyOf(entry)) ?? action,
    isUnwritten: unwritten.has(entry),
  }));
}

function writtenOutcomes({ outcomes, operations }: Plan, applied: number): Outcome[] {
  const written = new Set(operations.slice(0, applied).map(({ entry }) => entry));
  return outcomes.filter(({ entry }) => written.has(entry));
}

/** Names an entity of the document in every plan. */
const keyOf = ({ section, index }: Entry): string => `${section.name} ${String(index)}`;
