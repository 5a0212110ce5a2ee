import { Bitset, type ServicePolicyType } from '../../../kernel/policy/index.js';
import type { Sliced } from '../../../base/slices.js';
import { TYPES, type AccessModel } from '../model/access-model.js';
import { IdentityFuture, type ComingChanges } from './identity-future.js';

/** When an identity loses its access to a service, by type; null: never. A type that it does not have is absent. */
export type AccessEnds = Readonly<Ends>;
type Ends = Partial<Record<ServicePolicyType, Date | null>>;

/**
 * Gives the present access of an identity, by service id, with the moment at which it ends when nothing but the clock
 * changes role assignments and policies. What begins gives more access, so access ends only when something ends: at the
 * first such moment at which all others of that moment do not give it.
 */
export function* accessEnds(
  model: AccessModel,
  identityId: string,
  coming: ComingChanges,
): Sliced<ReadonlyMap<string, AccessEnds>> {
  const ends = new Map<string, Ends>();
  const identity = model.entity('identity', identityId);
  if (!identity) return ends;
  const addEnd = (row: readonly Bitset[], end: Date | null): void => {
    row.forEach((services, layer) => {
      const type = TYPES[layer] ?? 'Bind';
      for (const id of model.idsOf('service', services)) {
        const endsOfService = ends.get(id) ?? {};
        endsOfService[type] = end;
        ends.set(id, endsOfService);
      }
    });
  };
  const future = new IdentityFuture(model, identity, coming);
  const lasting = future.row();
  while (lasting.some((services) => !services.isEmpty())) {
    const end = future.nextEnd();
    if (end === undefined) break;
    const later = future.row();
    addEnd(
      lasting.map((services, layer) => services.clone().andNot(later[layer] ?? new Bitset())),
      end,
    );
    lasting.forEach((services, layer) => services.and(later[layer] ?? new Bitset()));
    yield;
  }
  addEnd(lasting, null);
  return ends;
}
