import { isObject } from '../../base/row.js';
import { isChangeOf, type Change, type Store } from '../../kernel/request/store-port.js';
import { Bitset, type PolicyIndex } from '../../kernel/policy/index.js';
import { configOverrides, services } from '../../data/rows/service/index.js';

/** A config that an identity gets for a service. */
interface Override {
  readonly serviceId: string;
  readonly configId: string;
}

/** The services and identities that use a config, and so see its data. */
export class ConfigUse {
  readonly #services = new Map<string, Set<string>>();
  readonly #overrides = new Map<string, readonly Override[]>();

  constructor(private readonly index: PolicyIndex) {}

  async load(store: Store): Promise<void> {
    for (const { id, configs } of await services.withConfigs(store))
      this.#replaceConfigs(id, [], configs);
    for (const { identityId, ...override } of await configOverrides.all(store)) {
      const others = this.#overrides.get(identityId) ?? [];
      this.#overrides.set(identityId, [...others, override]);
    }
  }

  /** Applies a change; gives the identities, by ordinal, that see other data. */
  applyChange(change: Change): Bitset {
    if (isChangeOf('Config', change)) return this.#applyConfig(change);
    if (isChangeOf('Identity', change)) return this.#applyOverrides(change);
    if (isChangeOf('Service', change)) {
      this.#replaceConfigs(change.id, change.before?.configs ?? [], change.after?.configs ?? []);
    }
    return new Bitset();
  }

  #replaceConfigs(serviceId: string, before: readonly string[], after: readonly string[]): void {
    for (const id of before) this.#services.get(id)?.delete(serviceId);
    for (const id of after) {
      const services = this.#services.get(id) ?? new Set();
      this.#services.set(id, services.add(serviceId));
    }
  }

  #applyConfig({ id, before, after }: Change<'Config'>): Bitset {
    const identities = new Bitset();
    if (before && after && JSON.stringify(before.data) === JSON.stringify(after.data))
      return identities;
    for (const serviceId of this.#services.get(id) ?? []) {
      identities.or(this.index.accessingIdentities(serviceId).ordinals());
    }
    for (const [identityId, overrides] of this.#overrides) {
      const matching = overrides.filter(({ configId }) => configId === id);
      if (matching.length > 0) identities.or(this.#seenBy(identityId, matching));
    }
    return identities;
  }

  #applyOverrides({ id, before, after }: Change<'Identity'>): Bitset {
    if (after === null) this.#overrides.delete(id);
    if (!Array.isArray(after?.serviceConfigs)) return new Bitset();
    const overridesBefore = overridesOf(before?.serviceConfigs);
    const overridesAfter = overridesOf(after.serviceConfigs);
    this.#overrides.set(id, overridesAfter);
    const isIn = (list: readonly Override[], { serviceId, configId }: Override): boolean =>
      list.some((o) => o.serviceId === serviceId && o.configId === configId);
    return this.#seenBy(id, [
      ...overridesBefore.filter((override) => !isIn(overridesAfter, override)),
      ...overridesAfter.filter((override) => !isIn(overridesBefore, override)),
    ]);
  }

  #seenBy(identityId: string, overrides: readonly Override[]): Bitset {
    const ordinal = this.index.ordinalOf('identity', identityId);
    const isSeen = overrides.some(
      ({ serviceId }) => this.index.linkingPolicies(identityId, serviceId).length > 0,
    );
    return ordinal !== undefined && isSeen ? Bitset.of([ordinal]) : new Bitset();
  }
}

/** Reads the overrides that the change log has beside an identity. */
const overridesOf = (value: unknown): Override[] =>
  Array.isArray(value) ? value.filter(isOverride) : [];

const isOverride = (value: unknown): value is Override =>
  isObject(value) && typeof value.serviceId === 'string' && typeof value.configId === 'string';
