import { invalidField } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/row.js';
import { readerOf, type Reader } from '../../../base/schema-reader.js';
import {
  anyObject,
  atMostEntries,
  boolean,
  choice,
  filledText,
  integer,
  listOf,
  orElse,
  orNull,
  ruled,
  schemaOf,
  type ValueOfSchema,
} from '../../../base/typed-schema.js';
import { adminClaims } from './admin-claims.js';
import { claimConditions } from './claim-conditions.js';
import { jwksEndpointFault } from './jwks-endpoint.js';

export const DEFAULT_CLAIM = 'sub';

const urlFault = (url: string): string | undefined =>
  URL.canParse(url) ? undefined : 'must be a URL';

/** Null and blank text are the same: nothing is set. */
const clearable = (rule: (text: string) => string | undefined = () => undefined) =>
  orNull(ruled(filledText(), rule), 'any');

const WEEK_MINUTES = 10_080;
const MAX_MINUTES = 525_600;

const MAX_IDENTITIES = 1_000_000;
const MAX_DAYS = 3650;

const between =
  (least: number, most: number) =>
  (value: number): string | undefined =>
    value >= least && value <= most
      ? undefined
      : `must be between ${String(least)} and ${String(most)}`;

const SETTINGS = schemaOf({
  name: filledText(),
  enabled: boolean(),
  issuer: filledText(),
  audience: filledText(),
  /** Either a certificate or an endpoint supplies the keys; a certificate goes with `kid`. */
  certPem: clearable(),
  kid: clearable(),
  jwksEndpoint: clearable(jwksEndpointFault),
  externalAuthUrl: clearable(urlFault),
  clientId: clearable(),
  claimsProperty: orElse(filledText(), DEFAULT_CLAIM, 'any'),
  useExternalId: orElse(boolean(), false),
  scopes: orElse(listOf(filledText()), []),
  conditions: claimConditions(),
  adminClaims: adminClaims(),
  roleAttributeClaims: orElse(atMostEntries(20, listOf(filledText())), []),
  roleAttributePrefix: clearable(),
  roleAttributeMinutes: orElse(ruled(integer(), between(1, MAX_MINUTES)), WEEK_MINUTES),
  createsIdentities: orElse(boolean(), false),
  maxCreatedIdentities: orElse(ruled(integer(), between(1, MAX_IDENTITIES)), 1_000),
  idleDaysBeforeDeletion: orNull(ruled(integer(), between(1, MAX_DAYS))),
  targetToken: orElse(choice(['ACCESS', 'ID']), 'ACCESS'),
  enrollToCertEnabled: orElse(boolean(), false),
  enrollToTokenEnabled: orElse(boolean(), false),
  enrollAuthPolicyId: clearable(),
  enrollNameClaimsSelector: clearable(),
  enrollAttributeClaimsSelector: clearable(),
});

/** The settings that an administrator makes of an external JWT signer. */
export type ExternalJwtSignerSettings = ValueOfSchema<typeof SETTINGS>;

const readBody = readerOf(anyObject());

const memberReaders = Object.entries(SETTINGS.shape).map(
  ([name, schema]): [string, Reader<unknown>] => [name, readerOf<unknown>(schema)],
);

function checkRoleAttributes(settings: ExternalJwtSignerSettings): void {
  const { roleAttributeClaims, roleAttributePrefix } = settings;
  if (roleAttributeClaims.length > 0 && roleAttributePrefix === null) {
    throw invalidField('roleAttributePrefix', 'is required with roleAttributeClaims', null);
  }
}

/** The id of an identity is never a text that an outside issuer chooses. */
function checkCreation({ createsIdentities, useExternalId }: ExternalJwtSignerSettings): void {
  if (createsIdentities && !useExternalId) {
    throw invalidField('useExternalId', 'must be true with createsIdentities', useExternalId);
  }
}

/** Stored values are not checked again: rules may have become stricter since. */
function readSettings(body: unknown, current: JsonObject | undefined): ExternalJwtSignerSettings {
  const sent = readBody(body);
  const settings = memberReaders.map(([name, read]) => [
    name,
    sent[name] === undefined && current ? current[name] : read(sent[name], name),
  ]);
  // Each member has the type that its schema declares.
  return Object.fromEntries(settings) as ExternalJwtSignerSettings;
}

function checkKeySource({ certPem, kid, jwksEndpoint }: ExternalJwtSignerSettings): void {
  if (certPem === null && jwksEndpoint === null) {
    throw invalidField('certPem', 'or jwksEndpoint is required', null);
  }
  if (certPem !== null && jwksEndpoint !== null) {
    throw invalidField('jwksEndpoint', 'must not be set together with certPem', jwksEndpoint);
  }
  if (certPem !== null && kid === null) {
    throw invalidField('kid', 'is required with certPem', null);
  }
}

/**
 * Checks a signer and gives its settings with defaults. With `current` the input is a partial
 * change: absent members stay, null and blank text clear what can be cleared. Faults are 400 with
 * the field. The function checks neither the certificate itself nor that names are unique.
 */
export function checkExternalJwtSigner(
  body: unknown,
  current?: ExternalJwtSignerSettings,
): ExternalJwtSignerSettings {
  const settings = readSettings(body, current && { ...current });
  checkKeySource(settings);
  checkRoleAttributes(settings);
  checkCreation(settings);
  return settings;
}
