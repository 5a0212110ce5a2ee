import { entityReference, type EntityReference } from '../../src/kernel/declare/rest.js';
import { invalidField } from '../../src/base/errors.js';
import { may } from '../../src/kernel/declare/permissions.js';
import { objectOf, STRING } from './hand-shapes.js';
import { queryParameter, queryText } from '../engine/list-parameters.js';
import type { Parameter, RestRequest, Schema } from '../engine/rest-row.js';
import { ref } from '../engine/openapi-schema.js';

/** What the rows of analysis have in common. */

export const BOOLEAN: Schema = { type: 'boolean' };
export const listOf = (items: Schema): Schema => ({ type: 'array', items });

export const shared = {
  on: ['management'],
  method: 'GET',
  tag: 'analysis',
  permission: may('identity', 'read'),
  status: 200,
} as const;

/** A number from the query. */
export function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw invalidField(name, 'must be a whole number', text);
  return Number(text);
}

/** Refuses another value with a field error; GraphQL would call it a fault of a variable. */
export function oneOf(values: readonly string[], field: string, value: unknown): void {
  if (typeof value === 'string' && values.includes(value)) return;
  throw invalidField(field, `should be one of [${values.join(' ')}]`, value);
}

/** A parameter that has to be there. */
export function needed(request: RestRequest, name: string): string {
  const text = queryText(request, name);
  if (text === undefined) throw invalidField(name, `${name} in query is required`, '');
  return text;
}

/** The point of the past that is asked about. */
export const AT: Parameter = queryParameter(
  'at',
  'string',
  'As it was then: the id of a change, or a time. What the policies do not say is left out.',
);

/** A pair as a document asks for it. */
export interface Grant {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: string;
  readonly identityName: string | null;
  readonly serviceName: string | null;
}

interface GrantBody extends Pick<Grant, 'identityId' | 'serviceId' | 'type'> {
  readonly identity: EntityReference;
  readonly service: EntityReference;
}

export const grantView = ({
  identityId,
  identityName,
  serviceId,
  serviceName,
  type,
}: Grant): GrantBody => ({
  identity: entityReference('identities', identityId, identityName ?? ''),
  identityId,
  service: entityReference('services', serviceId, serviceName ?? ''),
  serviceId,
  type,
});

export const GRANT: Schema = objectOf({
  identity: ref('EntityReference'),
  identityId: STRING,
  service: ref('EntityReference'),
  serviceId: STRING,
  type: STRING,
});
