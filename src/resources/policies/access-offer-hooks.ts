import { cancelRequestsForOffersIn } from '../../access/requests/index.js';
import type { Hooks, Write } from '../../kernel/declare/resource.js';
import { normaliseAttributes } from '../../kernel/policy/index.js';
import { normaliseRoleLists } from './policy-parts.js';

function validate(write: Write<'AccessOffer'>): void {
  const { roleAttribute } = write.values;
  if (roleAttribute !== undefined) normaliseAttributes('roleAttribute', [roleAttribute]);
  normaliseRoleLists(write);
}

export const accessOfferHooks: Hooks<'AccessOffer'> = {
  validate,
  removed: cancelRequestsForOffersIn,
};
