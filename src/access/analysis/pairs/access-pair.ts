import { attribute, id } from '../../../kernel/declare/attribute.js';
import { ACCESS_TYPE } from '../../../kernel/declare/resource.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { TYPES } from '../model/access-model.js';
import { isAfter } from './pair-list.js';
import type { PairKey, PairShape } from './pair-list.js';

/** An identity and a service that policies let it dial or bind. */
export class AccessPair {
  @attribute(id(), { description: 'Id of the identity.' })
  readonly identityId!: string;

  @attribute(id(), { description: 'Id of the service.' })
  readonly serviceId!: string;

  @attribute(ACCESS_TYPE, { description: 'Dialing or hosting.' })
  readonly type!: ServicePolicyType;
}

/** Gives equal texts for equal pairs alone; ids from clients may hold any characters. */
export const pairKey = ({ identityId, serviceId, type }: AccessPair): string =>
  JSON.stringify([identityId, serviceId, type]);

/** The layers of the relation `ACCESS` are the types in their order. */
export const ACCESS_PAIR: PairShape<AccessPair> = {
  make: ({ from, to, layer }: PairKey) => ({
    identityId: from,
    serviceId: to,
    type: TYPES[layer] ?? 'Bind',
  }),
  keyOf: ({ identityId, serviceId, type }) => ({
    from: identityId,
    to: serviceId,
    layer: TYPES.indexOf(type),
  }),
};

/** Whether a pair comes after another in the order of pairs. */
export const isPairAfter = (pair: AccessPair, other: AccessPair): boolean =>
  isAfter(ACCESS_PAIR.keyOf(pair), ACCESS_PAIR.keyOf(other));
