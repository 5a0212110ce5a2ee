import type { LinkingPolicy, PolicyFailure } from './evaluate-policies.js';

/** A session that posture refused (schema `failedServiceRequest`). */
export interface FailedServiceRequest {
  readonly apiSessionId: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly sessionType: LinkingPolicy['type'];
  readonly policyFailures: readonly PolicyFailure[];
  /** RFC 3339. */
  readonly when: string;
}

export const failedServiceRequest = (
  apiSessionId: string,
  service: { readonly id: string; readonly name: string },
  sessionType: LinkingPolicy['type'],
  policyFailures: readonly PolicyFailure[],
  now: number,
): FailedServiceRequest => ({
  apiSessionId,
  serviceId: service.id,
  serviceName: service.name,
  sessionType,
  policyFailures,
  when: new Date(now).toISOString(),
});
