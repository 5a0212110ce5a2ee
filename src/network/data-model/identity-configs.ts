import { byteSorted } from '../../base/byte-order.js';
import { isObject } from '../../base/row.js';

/** A config that an identity gets for a service in place of the service's own. */
export interface ServiceConfig {
  readonly serviceId: string;
  readonly configId: string;
}

export const serviceConfigsOf = (value: unknown): ServiceConfig[] =>
  Array.isArray(value)
    ? value.filter(
        (item): item is ServiceConfig =>
          isObject(item) && typeof item.serviceId === 'string' && typeof item.configId === 'string',
      )
    : [];

/** The configs that identities get in place of those of services. */
export class ServiceConfigs {
  readonly #byIdentity = new Map<string, readonly ServiceConfig[]>();
  /** Ids of types by the ids of their configs. */
  readonly #types = new Map<string, string>();

  setType(configId: string, typeId: unknown): void {
    if (typeof typeId === 'string') this.#types.set(configId, typeId);
    else this.#types.delete(configId);
  }

  has(identityId: string): boolean {
    return this.#byIdentity.has(identityId);
  }

  set(identityId: string, configs: readonly ServiceConfig[]): void {
    if (configs.length === 0) this.#byIdentity.delete(identityId);
    else this.#byIdentity.set(identityId, configs);
  }

  /** Forgets a service, as the database does; gives the identities that had a config for it, in order of their ids. */
  removeService(serviceId: string): string[] {
    const identityIds: string[] = [];
    for (const [identityId, configs] of this.#byIdentity) {
      const others = configs.filter((config) => config.serviceId !== serviceId);
      if (others.length === configs.length) continue;
      identityIds.push(identityId);
      this.set(identityId, others);
    }
    return byteSorted(identityIds);
  }

  /** Ids of configs by the ids of their types, by the ids of services. */
  of(identityId: string): Record<string, Record<string, string>> {
    const byService: Record<string, Record<string, string>> = {};
    const configs = [...(this.#byIdentity.get(identityId) ?? [])];
    for (const { serviceId, configId } of configs.sort(byIds)) {
      const typeId = this.#types.get(configId);
      if (typeId !== undefined) (byService[serviceId] ??= {})[typeId] = configId;
    }
    return byService;
  }
}

const byIds = (a: ServiceConfig, b: ServiceConfig): number =>
  `${a.serviceId} ${a.configId}` < `${b.serviceId} ${b.configId}` ? -1 : 1;
