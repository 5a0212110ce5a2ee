import { failure } from '../../base/errors.js';
import type { NodeQuestion, Validation } from '../../data/rows/inspection/index.js';
import { notValidated, type ValidationResult } from '../validation/index.js';
import type { Asking, Inspections } from './inspections.js';
import type { NodeAnswer } from './node-answer.js';

/** Nodes that are validated together, and the ids of the terminators if these are. */
export interface ValidationStep {
  readonly nodeIds: readonly string[];
  readonly names: readonly string[];
}

/** The result of one node in a step. */
export interface NodeResult extends Pick<ValidationStep, 'names'> {
  readonly nodeId: string;
  readonly result: ValidationResult;
}

export type ValidationTask = Pick<NodeQuestion, 'fixes'> & { readonly validation: Validation };

/** Validations of one process at the same time: each goes to all routers. */
const MAX_RUNNING = 4;
/** Longer than a router takes at most, beside the others of its step. */
const PATIENCE_MILLIS = 60_000;

/** Validations of routers and controllers: they are asked a few at a time, each by the process that serves it. */
export class Validations {
  #running = 0;

  constructor(
    private readonly inspections: Pick<Inspections, 'replies'>,
    private readonly asking: Pick<Asking, 'refresh' | 'isGone'>,
  ) {}

  /**
   * Reads which routers are connected by now: to another controller, they may have connected just before.
   * @throws ApiError SERVER_TOO_MANY_REQUESTS when no other validation may begin now
   */
  async prepare(): Promise<void> {
    this.refuseMany();
    await this.asking.refresh();
  }

  /**
   * Gives the results as they come.
   * @throws ApiError SERVER_TOO_MANY_REQUESTS
   */
  async *run(
    steps: readonly ValidationStep[],
    task: ValidationTask,
    signal: AbortSignal,
  ): AsyncGenerator<NodeResult, undefined> {
    this.refuseMany();
    this.#running += 1;
    try {
      const asking = { ...this.asking, patienceMillis: PATIENCE_MILLIS, signal };
      for (const { nodeIds, names } of steps) {
        if (signal.aborted) return;
        const replies = this.inspections.replies(nodeIds, { names, ...task }, asking);
        for await (const { nodeId, answer } of replies) {
          yield { nodeId, names, result: resultIn(answer) };
        }
      }
    } finally {
      this.#running -= 1;
    }
  }

  private refuseMany(): void {
    if (this.#running < MAX_RUNNING) return;
    throw failure('SERVER_TOO_MANY_REQUESTS', 'too many validations run');
  }
}

/** The name of the value that has the result of a validation. */
const RESULT = 'validation';

/** The answer of a node that was validated. */
export const validationAnswer = (result: ValidationResult): NodeAnswer => ({
  errors: [],
  values: [{ name: RESULT, value: JSON.stringify(result) }],
});

function resultIn({ errors, values }: NodeAnswer): ValidationResult {
  const value = values.find(({ name }) => name === RESULT)?.value;
  // A controller of an earlier version answers with the values by name.
  if (value === undefined) return notValidated(errors[0] ?? 'its controller can not validate it');
  return JSON.parse(value) as ValidationResult;
}
