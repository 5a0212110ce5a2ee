import type { JsonObject } from '../../base/row.js';
import { isObject } from '../../base/row.js';
import { isDeeperThan } from '../../base/storable.js';
import type { DirectoryUserRow } from '../../data/rows/directory/index.js';
import { memberOf, without } from './json-members.js';
import { invalidValue } from './scim-error.js';

const MAX_NAME_LENGTH = 255;
const MAX_ATTRIBUTES_LENGTH = 65_536;
const MAX_ATTRIBUTES_LEVELS = 16;

/** A user as its provider writes it. */
export interface WrittenUser {
  readonly userName: string;
  readonly externalId: string | null;
  readonly active: boolean;
  /** All other attributes. */
  readonly attributes: JsonObject;
}

/** Attributes with columns of their own, those that the controller sets, and passwords, which it does not store. */
const APART = ['schemas', 'id', 'meta', 'groups', 'password', 'userName', 'externalId', 'active'];

/**
 * Reads a user in the form of SCIM.
 * @param wasActive for a user who is there already: without `active` a request does not enable one that is disabled
 * @throws ScimError invalidValue
 */
export function writtenUser(sent: JsonObject, wasActive = true): WrittenUser {
  const attributes = without(sent, APART);
  refuseLarge(attributes);
  const active = memberOf(sent, 'active') ?? wasActive;
  return {
    userName: nameIn(sent, 'userName'),
    externalId: optionalText(sent, 'externalId'),
    active: truthOf('active', active),
    attributes,
  };
}

/** @throws ScimError invalidValue */
export function refuseLarge(attributes: JsonObject): void {
  if (isDeeperThan(MAX_ATTRIBUTES_LEVELS, attributes)) {
    throw invalidValue('the attributes are nested too deeply');
  }
  if (JSON.stringify(attributes).length > MAX_ATTRIBUTES_LENGTH) {
    throw invalidValue('the attributes are too large');
  }
}

/** The form of SCIM in which changes are applied to a user. */
export const scimForm = ({
  userName,
  externalId,
  active,
  attributes,
}: Pick<DirectoryUserRow, keyof WrittenUser>): JsonObject => ({
  ...attributes,
  userName,
  ...(externalId === null ? {} : { externalId }),
  active,
});

/** A text that is not blank. */
export function nameIn(sent: JsonObject, name: string): string {
  const value = memberOf(sent, name);
  if (typeof value !== 'string' || value.trim() === '' || value.length > MAX_NAME_LENGTH) {
    throw invalidValue(`${name} must be a text of at most ${String(MAX_NAME_LENGTH)} characters`);
  }
  return value;
}

/** A text; absent, null and empty are none. */
export function optionalText(sent: JsonObject, name: string): string | null {
  const value = memberOf(sent, name) ?? '';
  if (typeof value !== 'string' || value.length > MAX_NAME_LENGTH) {
    throw invalidValue(`${name} must be a text of at most ${String(MAX_NAME_LENGTH)} characters`);
  }
  return value === '' ? null : value;
}

/** Entra ID sends truth values as texts, such as `"False"`. */
function truthOf(name: string, value: unknown): boolean {
  const text = typeof value === 'string' ? value.toLowerCase() : value;
  if (text === true || text === 'true') return true;
  if (text === false || text === 'false') return false;
  throw invalidValue(`${name} must be true or false`);
}

/** The primary e-mail address, or else the first one. */
export function emailOf({ attributes }: Pick<WrittenUser, 'attributes'>): string | null {
  const sent = memberOf(attributes, 'emails');
  const emails = (Array.isArray(sent) ? (sent as unknown[]) : []).filter(isObject);
  const isPrimary = (email: JsonObject): boolean =>
    String(memberOf(email, 'primary')).toLowerCase() === 'true';
  const value = memberOf(emails.find(isPrimary) ?? emails[0] ?? {}, 'value');
  return typeof value === 'string' && value !== '' ? value : null;
}
