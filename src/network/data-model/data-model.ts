import type { JsonObject } from '../../base/row.js';
import { lowerFirst } from '../../base/names.js';
import {
  indexedValue,
  isEntityKind,
  PolicyIndex,
  type EntityKind,
  type EntityValue,
  type PolicyValue,
} from '../../kernel/policy/index.js';
import type { DataStateAction } from '../messages/index.js';
import { eventOf, memberEvents } from './model-events.js';
import { encodedIds } from './encoded-ids.js';
import {
  AllMembers,
  MembersBefore,
  type MemberChange,
  type TouchedEntity,
} from './member-changes.js';
import { hasRouterSemantic } from './router-checks.js';
import { encodedEntity, type RouterEntityKind } from './router-entities.js';
import { serviceConfigsOf, ServiceConfigs } from './identity-configs.js';

/** A row after a change; null when it was deleted. */
export interface RowState {
  readonly kind: RouterEntityKind;
  readonly id: string;
  readonly after: JsonObject | null;
  /** Whether the change deleted an earlier one with this id. */
  readonly isReplaced?: boolean;
}

/**
 * The kinds in the order in which routers need them: each names only those before it. Revocations come behind
 * all others and the keys.
 */
const ORDER = [
  'ConfigType',
  'Config',
  'Identity',
  'Service',
  'PostureCheck',
  'ServicePolicy',
] as const satisfies readonly RouterEntityKind[];

/** Policies go first, then their members, then configs, and their types last. */
const DELETION_ORDER = [
  'ServicePolicy',
  'Identity',
  'Service',
  'PostureCheck',
  'Config',
  'ConfigType',
] as const satisfies readonly RouterEntityKind[];

const KINDS = [...ORDER, 'Revocation'] as const satisfies readonly RouterEntityKind[];

/**
 * The data model of routers at one place of the change log. It applies commits in the order of the log, and
 * gives for each the events that bring a router from the state before to the state after: exact differences,
 * since routers count the members of policies.
 */
export class DataModel {
  readonly #index = new PolicyIndex();
  /** The events that create the entities. */
  readonly #entities = byKind(() => new Map<string, Buffer>());
  readonly #serviceConfigs = new ServiceConfigs();
  /** The rows of identities that change with others. */
  readonly #identities = new Map<string, JsonObject>();
  /** Until when identities are disabled. */
  readonly #disabledUntil = new Map<string, Date>();

  /**
   * Applies the rows that one commit changed, each once in its last state, and gives the events in the order in
   * which routers need them.
   * @throws Error before a router gets an event that ends its process or that it counts twice. The model is of no
   * use then.
   */
  apply(rows: readonly RowState[]): Buffer[] {
    for (const row of rows) if (row.kind === 'PostureCheck') refuseSemantic(row);
    const before = this.membersBefore(rows);
    const goneServices = rows.filter(
      ({ kind, after, isReplaced }) => kind === 'Service' && (!after || isReplaced === true),
    );
    // First: the configs in these rows are those after the deletions.
    const identityIds = new Set(
      goneServices.flatMap(({ id }) => this.#serviceConfigs.removeService(id)),
    );
    for (const row of rows) this.store(row);
    const changes = [
      ...rows,
      ...[...identityIds].flatMap((id) => this.identityRow(id, rows)),
    ].flatMap((row) => this.replace(row));
    const { removed, added } = before.delta();
    for (const change of added) this.refuseMistake(change);
    return [
      ...removed.flatMap((change) => eventsOfMembers(change, false)),
      ...DELETION_ORDER.flatMap((kind) => eventsOf(changes, kind, 'Delete')),
      ...ORDER.flatMap((kind) => eventsOf(changes, kind, 'Create', 'Update')),
      ...added.flatMap((change) => eventsOfMembers(change, true)),
      ...eventsOf(changes, 'Revocation', 'Create', 'Delete'),
    ];
  }

  /** Takes rows into an empty model, which gives no events. */
  fill(rows: readonly RowState[]): void {
    for (const row of rows) this.store(row);
    for (const row of rows) this.replace(row);
  }

  /** The disabled identities whose time is over. */
  overdue(now: Date): string[] {
    return [...this.#disabledUntil].filter(([, until]) => until <= now).map(([id]) => id);
  }

  /**
   * The events that make the whole model with these keys, in the order in which routers need them. The model must
   * not change meanwhile.
   */
  *all(keys: readonly Buffer[] = []): Generator<Buffer> {
    const members = new AllMembers(this.#index);
    for (const kind of ORDER) {
      for (const [policyId, encoded] of this.#entities[kind]) {
        yield encoded;
        if (kind !== 'ServicePolicy') continue;
        for (const ofSide of members.of(policyId))
          yield* memberEvents({ policyId, ...ofSide }, true);
      }
    }
    yield* keys;
    yield* this.#entities.Revocation.values();
  }

  /** Derived members have no mistake; routers do not forgive one: they count doubled ones, and die of unknown ones. */
  private refuseMistake({ policyId, side, ids }: MemberChange): void {
    const members = this.#entities[MEMBER_KIND[side]];
    const place = `${side} of the service policy ${policyId}`;
    if (!this.#entities.ServicePolicy.has(policyId)) throw new Error(`unknown: ${place}`);
    for (const [i, id] of ids.entries()) {
      if (!members.has(id)) throw new Error(`${id} is not there: ${place}`);
      // They are sorted.
      if (ids[i - 1] === id) throw new Error(`${id} comes twice: ${place}`);
    }
  }

  private membersBefore(rows: readonly RowState[]): MembersBefore {
    const entities: TouchedEntity[] = [];
    const policyIds: string[] = [];
    for (const { kind, id } of rows) {
      const indexed = lowerFirst(kind);
      if (indexed === 'servicePolicy') policyIds.push(id);
      else if (isEntityKind(indexed)) entities.push({ kind: indexed, id });
    }
    return new MembersBefore(this.#index, entities, policyIds);
  }

  /** Takes a row into what others depend on. */
  private store({ kind, id, after }: RowState): void {
    this.storeInIndex(kind, id, after);
    if (kind === 'Config') this.#serviceConfigs.setType(id, after?.configTypeId);
    if (kind === 'Identity' && (!after || after.serviceConfigs !== undefined)) {
      this.#serviceConfigs.set(id, serviceConfigsOf(after?.serviceConfigs));
    }
  }

  private storeInIndex(kind: RouterEntityKind, id: string, after: JsonObject | null): void {
    const indexed = lowerFirst(kind);
    if (indexed === 'servicePolicy') this.storePolicy(id, after);
    else if (!isEntityKind(indexed)) return;
    else if (after) this.#index.putEntity(indexed, { id, ...attributesOf(indexed, after) });
    else this.#index.removeEntity(indexed, id);
  }

  private storePolicy(id: string, after: JsonObject | null): void {
    if (!after) this.#index.removePolicy('servicePolicy', id);
    else {
      const value = indexedValue('servicePolicy', after) as PolicyValue<'servicePolicy'>;
      this.#index.putPolicy('servicePolicy', { ...value, id });
    }
  }

  /** An identity that is not among these rows itself. */
  private identityRow(id: string, rows: readonly RowState[]): RowState[] {
    const after = this.#identities.get(id);
    const isThere = rows.some((row) => row.kind === 'Identity' && row.id === id);
    return after && !isThere ? [{ kind: 'Identity', id, after }] : [];
  }

  /** Replaces the encoded form of an entity; gives the event if that makes a difference. */
  private replace({ kind, id, after }: RowState): ChangedEntity[] {
    const entities = this.#entities[kind];
    const earlier = entities.get(id);
    if (kind === 'Identity') this.keepIdentity(id, after);
    if (!after) {
      entities.delete(id);
      return earlier ? [{ kind, action: 'Delete', event: eventOf('Delete', earlier) }] : [];
    }
    const encoded = encodedEntity(kind, id, after, {
      serviceConfigs: this.#serviceConfigs.of(id),
      // Not by a clock: at each controller, a place of the log has one model.
      disabled:
        kind === 'Identity' && (timeOf(after.disabledAt) !== null || after.isOutsideTimes === true),
    });
    if (earlier?.equals(encoded)) return [];
    entities.set(id, encoded);
    // Routers take a revocation anew in place of the earlier one.
    const action = earlier && kind !== 'Revocation' ? 'Update' : 'Create';
    return [{ kind, action, event: eventOf(action, encoded) }];
  }

  private keepIdentity(id: string, after: JsonObject | null): void {
    const until = after && timeOf(after.disabledAt) ? timeOf(after.disabledUntil) : null;
    if (until) this.#disabledUntil.set(id, until);
    else this.#disabledUntil.delete(id);
    if (after && this.#serviceConfigs.has(id)) this.#identities.set(id, after);
    else this.#identities.delete(id);
  }
}

const MEMBER_KIND = {
  identities: 'Identity',
  services: 'Service',
  postureChecks: 'PostureCheck',
} as const satisfies Record<MemberChange['side'], RouterEntityKind>;

/** Another text ends the process of a router. In a whole model it is the one by which the controller decides. */
function refuseSemantic({ id, after }: RowState): void {
  if (after && !hasRouterSemantic(after)) {
    throw new Error(`the posture check ${id} has an unknown semantic`);
  }
}

interface ChangedEntity {
  readonly kind: RouterEntityKind;
  readonly action: DataStateAction;
  readonly event: Buffer;
}

const eventsOfMembers = (change: MemberChange, add: boolean): Buffer[] => [
  ...memberEvents({ ...change, ids: encodedIds(change.ids) }, add),
];

const eventsOf = (
  changes: readonly ChangedEntity[],
  wanted: RouterEntityKind,
  ...actions: readonly DataStateAction[]
): Buffer[] =>
  changes
    .filter(({ kind, action }) => kind === wanted && actions.includes(action))
    .map(({ event }) => event);

const byKind = <T>(make: () => T): Readonly<Record<RouterEntityKind, T>> =>
  Object.fromEntries(KINDS.map((kind) => [kind, make()])) as Record<RouterEntityKind, T>;

const attributesOf = (kind: EntityKind, row: JsonObject): Omit<EntityValue, 'id'> =>
  indexedValue(kind, row) as Omit<EntityValue, 'id'>;

/** Times are texts in the change log. */
const timeOf = (value: unknown): Date | null =>
  value instanceof Date ? value : typeof value === 'string' ? new Date(value) : null;
