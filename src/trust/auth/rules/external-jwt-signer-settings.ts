import { invalidField } from '../../../base/errors.js';
import {
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
import { between, checkRoleAttributes, CLAIM_RULES, clearable } from './claim-rule-settings.js';
import { jwksEndpointFault } from './jwks-endpoint.js';
import { settingsReader } from './settings-reader.js';

export const DEFAULT_CLAIM = 'sub';

const urlFault = (url: string): string | undefined =>
  URL.canParse(url) ? undefined : 'must be a URL';

const MAX_DAYS = 3650;

const SETTINGS = schemaOf({
  ...CLAIM_RULES,
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
  adminClaims: adminClaims(),
  idleDaysBeforeDeletion: orNull(ruled(integer(), between(1, MAX_DAYS))),
  targetToken: orElse(choice(['ACCESS', 'ID']), 'ACCESS'),
  enrollToCertEnabled: orElse(boolean(), false),
  enrollToTokenEnabled: orElse(boolean(), false),
  enrollAttributeClaimsSelector: clearable(),
});

/** The settings that an administrator makes of an external JWT signer. */
export type ExternalJwtSignerSettings = ValueOfSchema<typeof SETTINGS>;

const readSettings = settingsReader(SETTINGS);

/** The id of an identity is never a text that an outside issuer chooses. */
function checkCreation({ createsIdentities, useExternalId }: ExternalJwtSignerSettings): void {
  if (createsIdentities && !useExternalId) {
    throw invalidField('useExternalId', 'must be true with createsIdentities', useExternalId);
  }
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
