import { readSlices } from '../../../base/read-slices.js';
import { eachSliced, type Sliced } from '../../../base/slices.js';
import { ModelOverlay } from '../model/model-overlay.js';
import { ModelSnapshot } from '../model/model-snapshot.js';
import type { AccessModel } from '../model/access-model.js';
import type { RowChange } from '../model/what-if-change.js';
import { rowChangeOf } from '../model/row-change.js';
import { upperFirst } from '../../../base/names.js';
import type { Cursor, LoggedChange, Rows } from '../../../kernel/request/store-port.js';
import { ENTITY_KINDS, POLICY_KINDS, type PolicyIndex } from '../../../kernel/policy/index.js';
import { history, type StateRow } from '../../../data/rows/change/index.js';

/** The resources whose changes alter the model. */
const MODEL_TYPES: ReadonlySet<string> = new Set(
  [...ENTITY_KINDS, ...POLICY_KINDS].map(upperFirst),
);

/** Whether a change concerns a row that decides access. */
export const isOfModel = ({ resource }: Pick<LoggedChange, 'resource'>): boolean =>
  MODEL_TYPES.has(resource);

/** A snapshot of the present network, with the place in the log that it certainly contains. */
export class PresentModel extends ModelSnapshot {
  constructor(
    index: PolicyIndex,
    /** All changes up to here are contained; some later ones may be. */
    readonly position: Cursor,
  ) {
    super(index);
  }
}

/** The network at a place in the change log; it can move forward along the log. */
export class PastModel extends ModelOverlay {
  readonly #revisions = new Map<string, number>();

  constructor(
    readonly present: PresentModel,
    public cursor: Cursor,
  ) {
    super(present);
  }

  /** Sets a row to its state at the place. */
  put(row: RowChange, revision: number): void {
    this.apply(row);
    this.#revisions.set(keyOf(row), revision);
  }

  /**
   * Gives the effect of a logged change on its row, or undefined when the model has a later state of
   * the row: the log follows the beginnings of transactions, revisions follow their writes.
   */
  effectOf(change: LoggedChange): RowChange | undefined {
    const row = rowChangeOf(change);
    return row && change.revision > (this.#revisions.get(keyOf(row)) ?? -1) ? row : undefined;
  }

  /** Moves forward to the next change of the log. */
  applyChange(change: LoggedChange): void {
    const row = this.effectOf(change);
    if (row) this.put(row, change.revision);
    this.cursor = change.cursor;
  }

  /** The number of rows that differ from the present, in the model and in its snapshot. */
  get weight(): number {
    return this.size + this.present.size;
  }
}

/** Gives the place of a past model; undefined for a present one. */
export const placeIn = (model: AccessModel): Cursor | undefined =>
  model instanceof PastModel ? model.cursor : undefined;

const keyOf = ({ kind, id }: RowChange): string => `${kind} ${id}`;

/** Rows are read in slices of this size. */
const SLICE = 2_000;

/**
 * Reads the network at a place. Each row that changed since has the state after the last change up
 * to the place or, without one, the state before the first change after it.
 */
export async function pastModel(
  store: Rows,
  present: PresentModel,
  place: Cursor,
  run: <T>(work: Sliced<T>) => Promise<T>,
): Promise<PastModel> {
  const model = new PastModel(present, place);
  const slices = readSlices<StateRow>(SLICE, (last) =>
    history.nextStates(store, {
      types: [...MODEL_TYPES],
      place,
      position: present.position,
      after: { type: last?.resource ?? '', id: last?.id ?? '' },
      limit: SLICE,
    }),
  );
  for await (const rows of slices) {
    await run(
      eachSliced(rows, 32, (row) => {
        putBack(model, row);
      }),
    );
  }
  return model;
}

function putBack(model: PastModel, row: StateRow): void {
  const { resource, id, isThere, revision } = row;
  const change = rowChangeOf({ resource, id, after: isThere ? row : null });
  if (change) model.put(change, revision);
}
