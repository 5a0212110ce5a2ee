import type { JsonObject } from '../../base/row.js';
import { snakeCase } from '../../base/names.js';
import { raw } from '../../base/sql.js';
import { changes, history } from '../../data/rows/change/index.js';
import { configOverrides } from '../../data/rows/service/index.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { nextRows } from '../../kernel/read/entity-table.js';
import type { Cursor, LoggedChange, Store } from '../../kernel/request/store-port.js';
import { DataModel, type RowState } from './data-model.js';
import { serviceConfigsOf, type ServiceConfig } from './identity-configs.js';
import { endOfTransaction, transactionAt } from './log-place.js';
import { ROUTER_ENTITIES, ROUTER_ENTITY_KINDS, type RouterEntityKind } from './router-entities.js';

/** Rows that are read and taken into the model together: some milliseconds of work. */
const PAGE = 2_000;

/** A row after a change of the log. */
export type LoggedState = Pick<LoggedChange, 'cursor' | 'resource' | 'id'> & {
  readonly after: JsonObject | null;
};

/** A data model with the place in the change log that it has: the end of a transaction. */
export interface LoadedDataModel {
  readonly model: DataModel;
  readonly place: Cursor;
  /** The first place from which the changes give exactly the sets of every other controller. */
  readonly exactFrom: Cursor;
  /** The changes behind the place. */
  readonly changes: readonly LoggedState[];
  /** The end of the log when the model was read, also the end of a transaction. */
  readonly end: Cursor;
}

interface LoadOptions {
  readonly store: Store;
  readonly catalog: Catalog;
  /** The number of changes at the end of the log to leave out of the model. */
  readonly maxChanges: number;
}

/**
 * Reads the data model at one place of the change log: a snapshot contains commits behind the place, which are
 * undone. Some are even behind the end of the log, since transactions commit in another order than they begin.
 */
export async function loadDataModel({
  store,
  catalog,
  maxChanges,
}: LoadOptions): Promise<LoadedDataModel> {
  const snapshot = await store.snapshot();
  try {
    const horizon = await changes.horizon(snapshot.store);
    const end = endOfTransaction(transactionAt(horizon) - 1, horizon);
    const undoable = await history.undoablePlace(snapshot.store, ROUTER_ENTITY_KINDS, maxChanges);
    const exactFrom = endOfTransaction(transactionAt(undoable), undoable);
    const place = maxChanges > 0 && exactFrom < end ? exactFrom : end;
    const reader = await RowReader.open(snapshot.store, catalog, place);
    const model = new DataModel();
    for (const kind of ROUTER_ENTITY_KINDS) {
      for await (const rows of reader.rows(kind)) model.fill(rows);
    }
    const behind = await history.statesAfter(snapshot.store, ROUTER_ENTITY_KINDS, place);
    return { model, place, exactFrom, changes: behind, end };
  } finally {
    await snapshot.end();
  }
}

/** Reads rows as they were at a place of the log. */
class RowReader {
  /** The states at the place of entities that changed behind it. */
  readonly #earlier: ReadonlyMap<RouterEntityKind, Map<string, JsonObject | null>>;

  private constructor(
    private readonly store: Store,
    private readonly catalog: Catalog,
    states: Awaited<ReturnType<typeof history.statesBefore>>,
    private readonly serviceConfigs: ReadonlyMap<string, ServiceConfig[]>,
  ) {
    const earlier = new Map<RouterEntityKind, Map<string, JsonObject | null>>();
    for (const { resource, id, before } of states) {
      const kind = resource as RouterEntityKind;
      earlier.set(
        kind,
        (earlier.get(kind) ?? new Map<string, JsonObject | null>()).set(id, before),
      );
    }
    this.#earlier = earlier;
  }

  static async open(store: Store, catalog: Catalog, place: Cursor): Promise<RowReader> {
    const states = await history.statesBefore(store, ROUTER_ENTITY_KINDS, place);
    const serviceConfigs = new Map<string, ServiceConfig[]>();
    for (const { identityId, ...config } of await configOverrides.all(store)) {
      serviceConfigs.set(identityId, [...(serviceConfigs.get(identityId) ?? []), config]);
    }
    for (const earlier of await history.serviceConfigsBefore(store, place)) {
      serviceConfigs.set(earlier.identityId, serviceConfigsOf(earlier.serviceConfigs));
    }
    return new RowReader(store, catalog, states, serviceConfigs);
  }

  async *rows(kind: RouterEntityKind): AsyncGenerator<RowState[]> {
    const earlier = this.#earlier.get(kind) ?? new Map<string, JsonObject | null>();
    const present = new Set<string>();
    for (let after = ''; ;) {
      const page = await this.nextPage(kind, after);
      const last = page.at(-1);
      if (!last) break;
      for (const { id } of page) if (earlier.has(id)) present.add(id);
      yield page.map((row) => this.stateOf(kind, row.id, earlier.get(row.id), row));
      if (page.length < PAGE) break;
      after = last.id;
    }
    const deleted = [...earlier].filter(([id]) => !present.has(id));
    yield deleted.map(([id, before]) => this.stateOf(kind, id, before));
  }

  /** `earlier` is undefined for a row that did not change behind the place. */
  private stateOf(
    kind: RouterEntityKind,
    id: string,
    earlier: JsonObject | null | undefined,
    row: JsonObject | null = null,
  ): RowState {
    const state = earlier === undefined ? row : earlier;
    const serviceConfigs = kind === 'Identity' ? this.serviceConfigs.get(id) : undefined;
    return { kind, id, after: state && { ...(serviceConfigs && { serviceConfigs }), ...state } };
  }

  private nextPage(
    kind: RouterEntityKind,
    after: string,
  ): Promise<(JsonObject & { readonly id: string })[]> {
    const columns = ['id', ...ROUTER_ENTITIES[kind]].map(
      (name) => `"e"."${snakeCase(name)}" as "${name}"`,
    );
    const resource = this.catalog.resources[kind];
    return nextRows(this.store, resource, raw(columns.join(', ')), { after, limit: PAGE });
  }
}
