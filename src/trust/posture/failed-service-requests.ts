import {
  attribute,
  described,
  id,
  objects,
  text,
  timeText,
} from '../../kernel/declare/attribute.js';
import type { LinkingPolicy } from './evaluate-policies.js';
import { PolicyFailure } from './posture-failure.js';

/** Schema `failedServiceRequest`. */
@described('A session that posture refused.')
export class FailedServiceRequest {
  @attribute(id(), { description: 'Id of the API session.' })
  readonly apiSessionId!: string;

  @attribute(id(), { description: 'Id of the service.' })
  readonly serviceId!: string;

  @attribute(text(), { description: 'Name of the service at that time.' })
  readonly serviceName!: string;

  @attribute(text<LinkingPolicy['type']>(), { description: '`Dial` or `Bind`.' })
  readonly sessionType!: LinkingPolicy['type'];

  @attribute(timeText(), { description: 'Time of the refusal.' })
  readonly when!: string;

  @attribute(objects(() => PolicyFailure), {
    description: 'The policies that would have granted it.',
  })
  readonly policyFailures!: readonly PolicyFailure[];
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
