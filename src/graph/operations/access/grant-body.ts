import { entityReference } from '../../../kernel/declare/rest.js';
import { objectOf, ref, STRING } from '../../../kernel/declare/rest-schema.js';
import type { Column } from '../../../kernel/graph/rest-operation.js';

/** The REST view of a pair of an identity and a service. */

export const GRANT = 'identityId identityName serviceId serviceName type';

export interface SelectedGrant {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: string;
  readonly identityName: string | null;
  readonly serviceName: string | null;
}

export const grantBody = (grant: SelectedGrant): object => {
  const { identityId, identityName, serviceId, serviceName, type } = grant;
  return {
    identity: entityReference('identities', identityId, identityName ?? ''),
    identityId,
    service: entityReference('services', serviceId, serviceName ?? ''),
    serviceId,
    type,
  };
};

export const GRANT_SCHEMA = objectOf({
  identity: ref('EntityReference'),
  identityId: STRING,
  service: ref('EntityReference'),
  serviceId: STRING,
  type: STRING,
});

export const GRANT_COLUMNS: readonly Column[] = [
  ['identityId', ({ identityId }: SelectedGrant) => identityId],
  ['identity', ({ identityName }: SelectedGrant) => identityName ?? ''],
  ['serviceId', ({ serviceId }: SelectedGrant) => serviceId],
  ['service', ({ serviceName }: SelectedGrant) => serviceName ?? ''],
  ['type', ({ type }: SelectedGrant) => type],
];
