import { GraphQLBoolean } from 'graphql';
import type { JsonObject } from '../../../base/row.js';
import { entityReference } from '../../../kernel/declare/rest.js';
import { objectOf, ref, STRING, type Schema } from '../../../kernel/declare/rest-schema.js';
import type { Columns } from '../../../kernel/graph/rest-operation.js';

/** The REST view of a pair of an identity and a service. */

interface SelectedGrant extends JsonObject {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: string;
  readonly identityName: string | null;
  readonly serviceName: string | null;
}

export function grantBody(grant: SelectedGrant): JsonObject {
  const { identityId, identityName, serviceId, serviceName, type, ...others } = grant;
  return {
    identity: entityReference('identities', identityId, identityName ?? ''),
    identityId,
    service: entityReference('services', serviceId, serviceName ?? ''),
    serviceId,
    type,
    ...others,
  };
}

const NAMES = ['identityName', 'serviceName'];

/** References to the ends stand in the place of their names. */
export function grantSchema({ properties, required }: Schema): Schema {
  const { identityId, serviceId, ...members } = properties as Record<string, Schema>;
  const others = Object.entries(members).filter(([name]) => !NAMES.includes(name));
  const ends = {
    identity: ref('EntityReference'),
    identityId: identityId ?? STRING,
    service: ref('EntityReference'),
    serviceId: serviceId ?? STRING,
  };
  const isRequired = (name: string): boolean => (required as readonly string[]).includes(name);
  return objectOf({ ...ends, ...Object.fromEntries(others) }, [
    ...Object.keys(ends),
    ...others.flatMap(([name]) => (isRequired(name) ? [name] : [])),
  ]);
}

/** A column more would be another table for clients that do not ask for it. */
export const LAST_USE = {
  lastUse: {
    type: GraphQLBoolean,
    description:
      'Whether each pair has the time of its last use, `lastUsedAt`. Requires the permission `ops`.',
    default: false,
  },
};

export const GRANT_COLUMNS: Columns = {
  identityId: 'identityId',
  identity: 'identityName',
  serviceId: 'serviceId',
  service: 'serviceName',
  type: 'type',
  lastUsedAt: 'lastUsedAt',
};
