import { eachSliced, type Sliced } from '../slices.js';
import { ModelOverlay } from '../model-overlay.js';
import { ModelSnapshot } from '../model-snapshot.js';
import type { AccessModel } from '../access-model.js';
import type { RowChange } from '../what-if-change.js';
import { rowChangeOf } from '../row-change.js';
import { upperFirst } from '../../base/names.js';
import type { Cursor, LoggedChange, Store } from '../../kernel/request/store-port.js';
import { ENTITY_KINDS, POLICY_KINDS, type PolicyIndex } from '../../policy/index.js';
import { nextPastStates, type StateRow } from './change-table.js';

/** The resources whose changes alter the model. */
const MODEL_TYPES: ReadonlySet<string> = new Set(
  [...ENTITY_KINDS, ...POLICY_KINDS].map(upperFirst),
);

/** Whether a change is about what access is made of. */
export const isOfModel = ({ resource }: Pick<LoggedChange, 'resource'>): boolean =>
  MODEL_TYPES.has(resource);

/** What is held of the network now, and how much of the change log that has for certain. */
export class PresentModel extends ModelSnapshot {
  constructor(
    index: PolicyIndex,
    /** All changes up to here are in it; of later ones some may be. */
    readonly position: Cursor,
  ) {
    super(index);
  }
}

/** The network as it was at a place in the change log, and as that goes on from there. */
export class PastModel extends ModelOverlay {
  readonly #revisions = new Map<string, number>();

  constructor(
    readonly present: PresentModel,
    public cursor: Cursor,
  ) {
    super(present);
  }

  /** A row as it was at the place. */
  put(row: RowChange, revision: number): void {
    this.apply(row);
    this.#revisions.set(keyOf(row), revision);
  }

  /**
   * What a change of the log makes of its row. Nothing when a later state of it came before: places
   * follow the beginnings of transactions, revisions their writes.
   */
  news(change: LoggedChange): RowChange | undefined {
    const row = rowChangeOf(change);
    return row && change.revision > (this.#revisions.get(keyOf(row)) ?? -1) ? row : undefined;
  }

  /** Goes on to a change, which is the next of the log. */
  goOn(change: LoggedChange): void {
    const row = this.news(change);
    if (row) this.put(row, change.revision);
    this.cursor = change.cursor;
  }

  /** How many rows it takes to be another state than that of now, both of them. */
  get weight(): number {
    return this.size + this.present.size;
  }
}

/** The place whose state a model is; undefined of one of now. */
export const placeIn = (model: AccessModel): Cursor | undefined =>
  model instanceof PastModel ? model.cursor : undefined;

const keyOf = ({ kind, id }: RowChange): string => `${kind} ${id}`;

/** So many rows are read at a time. */
const SLICE = 2_000;

/**
 * The network as it was at a place: of each row that changed since, the state that the last change
 * up to the place left, or that the first one after it found.
 */
export async function pastModel(
  store: Pick<Store, 'query'>,
  present: PresentModel,
  place: Cursor,
  run: <T>(work: Sliced<T>) => Promise<T>,
): Promise<PastModel> {
  const model = new PastModel(present, place);
  for (let after = { type: '', id: '' }, count = SLICE; count === SLICE;) {
    const rows = await nextPastStates(store, {
      types: [...MODEL_TYPES],
      place,
      position: present.position,
      after,
      limit: SLICE,
    });
    await run(
      eachSliced(rows, 32, (row) => {
        putBack(model, row);
      }),
    );
    const last = rows.at(-1);
    count = rows.length;
    if (last) after = { type: last.resource, id: last.id };
  }
  return model;
}

function putBack(model: PastModel, row: StateRow): void {
  const { resource, id, is_there, revision } = row;
  const change = rowChangeOf({ resource, id, after: is_there ? row : null });
  if (change) model.put(change, revision);
}
