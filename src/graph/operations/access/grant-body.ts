import { GraphQLBoolean } from 'graphql';
import { entityReference } from '../../../kernel/declare/rest.js';
import {
  objectOf,
  ref,
  STRING,
  TIME,
  withProperties,
} from '../../../kernel/declare/rest-schema.js';
import type { Column } from '../../../kernel/graph/rest-operation.js';

/** The REST view of a pair of an identity and a service. */

const GRANT = 'identityId identityName serviceId serviceName type';

/** With the time of the last use, if the request wants it. */
export const GRANT_WITH_USE = `${GRANT} lastUsedAt @include(if: $lastUse)`;

export interface SelectedGrant {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: string;
  readonly identityName: string | null;
  readonly serviceName: string | null;
  readonly lastUsedAt?: string | null;
}

export const grantBody = (grant: SelectedGrant): object => {
  const { identityId, identityName, serviceId, serviceName, type, lastUsedAt } = grant;
  return {
    identity: entityReference('identities', identityId, identityName ?? ''),
    identityId,
    service: entityReference('services', serviceId, serviceName ?? ''),
    serviceId,
    type,
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
  };
};

export const GRANT_SCHEMA = objectOf({
  identity: ref('EntityReference'),
  identityId: STRING,
  service: ref('EntityReference'),
  serviceId: STRING,
  type: STRING,
});

export const GRANT_WITH_USE_SCHEMA = withProperties(GRANT_SCHEMA, {
  lastUsedAt: { ...TIME, nullable: true },
});

/** A column more would be another table for clients that do not ask for it. */
export const LAST_USE = {
  lastUse: {
    type: GraphQLBoolean,
    description:
      'Whether each pair has the time of its last use, `lastUsedAt`. Requires the permission `ops`.',
    default: false,
  },
};

export const GRANT_COLUMNS: readonly Column[] = [
  ['identityId', ({ identityId }: SelectedGrant) => identityId],
  ['identity', ({ identityName }: SelectedGrant) => identityName ?? ''],
  ['serviceId', ({ serviceId }: SelectedGrant) => serviceId],
  ['service', ({ serviceName }: SelectedGrant) => serviceName ?? ''],
  ['type', ({ type }: SelectedGrant) => type],
  ['lastUsedAt', ({ lastUsedAt }: SelectedGrant) => lastUsedAt ?? '', 'lastUse'],
];
