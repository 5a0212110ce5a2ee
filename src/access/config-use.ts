import { isObject } from '../base/row.js';
import { isChangeOf, type Change, type Store } from '../kernel/request/store-port.js';
import { Bitset, type PolicyIndex } from '../policy/index.js';
import { allOverrides } from '../resources/service-config-override-table.js';
import { servicesWithConfigs } from '../resources/service-table.js';

/** A config that an identity gets for a service. */
interface Override {
  readonly serviceId: string;
  readonly configId: string;
}

/** Which services and which identities use a config: who sees its data. */
export class ConfigUse {
  readonly #services = new Map<string, Set<string>>();
  readonly #overrides = new Map<string, readonly Override[]>();

  constructor(private readonly index: PolicyIndex) {}

  async load(store: Store): Promise<void> {
    for (const { id, configs } of await servicesWithConfigs(store)) this.#use(id, [], configs);
    for (const { identityId, ...override } of await allOverrides(store)) {
      const others = this.#overrides.get(identityId) ?? [];
      this.#overrides.set(identityId, [...others, override]);
    }
  }

  /** Follows the change; gives the identities, by ordinal, that see other data for it. */
  take(change: Change): Bitset {
    if (isChangeOf('Config', change)) return this.#takeConfig(change);
    if (isChangeOf('Identity', change)) return this.#takeOverrides(change);
    if (isChangeOf('Service', change)) {
      this.#use(change.id, change.before?.configs ?? [], change.after?.configs ?? []);
    }
    return new Bitset();
  }

  #use(serviceId: string, before: readonly string[], after: readonly string[]): void {
    for (const id of before) this.#services.get(id)?.delete(serviceId);
    for (const id of after) {
      const services = this.#services.get(id) ?? new Set();
      this.#services.set(id, services.add(serviceId));
    }
  }

  #takeConfig({ id, before, after }: Change<'Config'>): Bitset {
    const found = new Bitset();
    if (before && after && JSON.stringify(before.data) === JSON.stringify(after.data)) return found;
    for (const serviceId of this.#services.get(id) ?? []) {
      found.or(this.index.accessingIdentities(serviceId).ordinals());
    }
    for (const [identityId, overrides] of this.#overrides) {
      const own = overrides.filter(({ configId }) => configId === id);
      if (own.length > 0) found.or(this.#seenBy(identityId, own));
    }
    return found;
  }

  #takeOverrides({ id, before, after }: Change<'Identity'>): Bitset {
    if (after === null) this.#overrides.delete(id);
    if (!Array.isArray(after?.serviceConfigs)) return new Bitset();
    const had = overridesOf(before?.serviceConfigs);
    const has = overridesOf(after.serviceConfigs);
    this.#overrides.set(id, has);
    const isIn = (list: readonly Override[], { serviceId, configId }: Override): boolean =>
      list.some((o) => o.serviceId === serviceId && o.configId === configId);
    return this.#seenBy(id, [
      ...had.filter((override) => !isIn(has, override)),
      ...has.filter((override) => !isIn(had, override)),
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

/** As the change log has them beside an identity. */
const overridesOf = (value: unknown): Override[] =>
  Array.isArray(value) ? value.filter(isOverride) : [];

const isOverride = (value: unknown): value is Override =>
  isObject(value) && typeof value.serviceId === 'string' && typeof value.configId === 'string';
