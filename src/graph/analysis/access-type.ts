import { invalidField } from '../../base/errors.js';
import type { ServicePolicyType } from '../../policy/index.js';

/** What a service policy grants, as clients write it. */
export function typeOf(type: string): ServicePolicyType {
  if (type === 'Dial' || type === 'Bind') return type;
  throw invalidField('type', 'must be Dial or Bind', type);
}
