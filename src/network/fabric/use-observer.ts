import type { ServicePolicyType } from '../../kernel/policy/index.js';

/** Called with the use of an access: an identity has dialed or hosts a service. */
export type UseObserver = (use: {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: ServicePolicyType;
}) => void;
