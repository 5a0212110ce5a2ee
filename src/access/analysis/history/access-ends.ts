import type { AssignedPeriod } from '../../../data/rows/role-assignment/index.js';
import {
  Bitset,
  joinedAttributes,
  writtenAttributes,
  type EntityValue,
  type ServicePolicyType,
} from '../../../kernel/policy/index.js';
import type { Sliced } from '../../../base/slices.js';
import { TYPES, type AccessModel } from '../model/access-model.js';
import { AccessSelection } from '../pairs/access-selection.js';

/** When an identity loses its access to a service, by type; null: never. A type that it does not have is absent. */
export type AccessEnds = Readonly<Ends>;
type Ends = Partial<Record<ServicePolicyType, Date | null>>;

/**
 * Gives the present access of an identity, by service id, with the moment at which it ends when nothing but the clock
 * changes role assignments. More attributes give more access, so it ends only when an assignment does: the first end
 * after which the other assignments of that moment do not give it.
 */
export function* accessEnds(
  model: AccessModel,
  identityId: string,
  periods: readonly AssignedPeriod[],
): Sliced<ReadonlyMap<string, AccessEnds>> {
  const ends = new Map<string, Ends>();
  const identity = model.entity('identity', identityId);
  if (!identity) return ends;
  const selection = new AccessSelection(model, {});
  const rowWith = (attributes: readonly string[]): Bitset[] =>
    selection.rowWith(withAssigned(identity, attributes));
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
  const lasting = rowWith(activeNow(periods));
  for (const end of momentsOfEnd(periods)) {
    if (lasting.every((services) => services.isEmpty())) break;
    const later = rowWith(activeAt(periods, end));
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

const withAssigned = (identity: EntityValue, attributes: readonly string[]): EntityValue => ({
  ...joinedAttributes(writtenAttributes(identity), attributes),
  id: identity.id,
});

const activeNow = (periods: readonly AssignedPeriod[]): string[] =>
  attributesOf(periods.filter(({ isActive }) => isActive));

/** The attributes just after everything that ends at a time has ended, and what begins then has begun. */
const activeAt = (periods: readonly AssignedPeriod[], at: Date): string[] =>
  attributesOf(
    periods.filter(
      ({ isActive, activeFrom, activeUntil }) =>
        (isActive || activeFrom <= at) && (activeUntil === null || activeUntil > at),
    ),
  );

const attributesOf = (periods: readonly AssignedPeriod[]): string[] => [
  ...new Set(periods.map(({ roleAttribute }) => roleAttribute)),
];

/** The moments at which an assignment ends, in their order. */
function momentsOfEnd(periods: readonly AssignedPeriod[]): Date[] {
  const times = periods.flatMap(({ activeUntil }) => (activeUntil ? [activeUntil.getTime()] : []));
  return [...new Set(times)].sort((a, b) => a - b).map((time) => new Date(time));
}
