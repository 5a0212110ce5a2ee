import { MapSteps, type MapStepsResult } from '../../emitted/operations.js';
import { askPartly } from '../../graph/ask.js';
import { SHOWN_TYPES } from './map-words.js';

type StepChange = NonNullable<MapStepsResult['changes']>['nodes'][number];

/** Changes of one request or import, which were made together. */
export interface TimeStep {
  /** The id of the last change: the map at it is the one after the step. */
  readonly id: string;
  readonly at: string;
  /** The first change. */
  readonly change: Pick<StepChange, 'type' | 'entityName' | 'operation'>;
  readonly changeCount: number;
}

export interface TimeSteps {
  /** The oldest first. */
  readonly steps: readonly TimeStep[];
  /** Whether the log has no more changes than were read. */
  readonly isWhole: boolean;
}

const FILTER = `type in [${SHOWN_TYPES.map((type) => JSON.stringify(type)).join(', ')}]`;

/** The members that the map shows. Updates of others leave it as it is. */
const SHOWN = new Set([
  'name',
  'type',
  'semantic',
  'roleAttributes',
  'assignedRoleAttributes',
  'identityRoles',
  'serviceRoles',
  'edgeRouterRoles',
]);

const IN_A_PART = 500;
/** More steps are too many for a slider. */
const MAX_READ = 5_000;

/** Reads the latest steps at which the map can differ. */
export async function readSteps(signal: AbortSignal): Promise<TimeSteps> {
  const changes: StepChange[] = [];
  for (;;) {
    const variables = { filter: FILTER, first: IN_A_PART, offset: changes.length };
    const { data, failures } = await askPartly(MapSteps, variables, { signal });
    const [failure] = failures;
    if (!data?.changes && failure) throw failure;
    const { nodes, totalCount } = data?.changes ?? { nodes: [], totalCount: 0 };
    changes.push(...nodes);
    if (nodes.length === 0 || changes.length >= Math.min(totalCount, MAX_READ)) {
      return { steps: stepsOf(changes.reverse()), isWhole: changes.length >= totalCount };
    }
  }
}

function stepsOf(changes: readonly StepChange[]): readonly TimeStep[] {
  const steps: TimeStep[] = [];
  let origin: string | undefined;
  for (const change of changes.filter(isShown)) {
    const { id, at } = change;
    const ofChange = change.importId ?? change.requestId ?? id;
    const last = steps.at(-1);
    if (last && ofChange === origin) {
      steps[steps.length - 1] = { ...last, id, at, changeCount: last.changeCount + 1 };
    } else steps.push({ id, at, change, changeCount: 1 });
    origin = ofChange;
  }
  return steps;
}

/** New changes may move the parts, so that one is read twice; then it counts twice in its step. */
const isShown = ({ operation, fields }: StepChange): boolean =>
  operation !== 'update' || fields.some(({ name }) => SHOWN.has(name));

/** The step that a point of time is in: an id of a change, or a time. Undefined before the first step. */
export function stepAt(steps: readonly TimeStep[], at: string): number | undefined {
  const isId = /^[0-9a-f]{36}$/.test(at);
  const stepIndex = steps.findLastIndex((step) =>
    isId ? step.id <= at : Date.parse(step.at) <= Date.parse(at),
  );
  return stepIndex < 0 ? undefined : stepIndex;
}
