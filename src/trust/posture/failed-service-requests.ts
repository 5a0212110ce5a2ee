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

// The shape follows from the kinds of checks.
declare module '../../data/prisma/models.js' {
  interface ColumnShapes {
    readonly ServiceRequestFailure: { readonly failure: FailedServiceRequest };
  }
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
