import { invalidField } from '../../base/errors.js';
import { jwksEndpointFault } from './jwks-endpoint.js';
import { booleanAt, choiceAt, isSent, listAt, objectAt, textAt } from '../../base/values.js';

const TARGET_TOKENS = ['ACCESS', 'ID'] as const;
export const DEFAULT_CLAIM = 'sub';

/** What an administrator sets on an external JWT signer. */
export interface ExternalJwtSignerSettings {
  readonly name: string;
  readonly enabled: boolean;
  readonly issuer: string;
  readonly audience: string;
  /** Exactly one of certificate and endpoint tells the keys; a certificate goes with `kid`. */
  readonly certPem: string | null;
  readonly kid: string | null;
  readonly jwksEndpoint: string | null;
  readonly externalAuthUrl: string | null;
  readonly clientId: string | null;
  readonly claimsProperty: string;
  readonly useExternalId: boolean;
  readonly scopes: readonly string[];
  readonly targetToken: (typeof TARGET_TOKENS)[number];
  readonly enrollToCertEnabled: boolean;
  readonly enrollToTokenEnabled: boolean;
  readonly enrollAuthPolicyId: string | null;
  readonly enrollNameClaimsSelector: string | null;
  readonly enrollAttributeClaimsSelector: string | null;
}

type Readers = {
  readonly [K in keyof ExternalJwtSignerSettings]: (
    value: unknown,
    field: string,
  ) => ExternalJwtSignerSettings[K];
};

/** Null and blank text are the same: nothing is set. */
function optionalTextAt(value: unknown, field: string): string | null {
  if (!isSent(value) || (typeof value === 'string' && value.trim() === '')) return null;
  return textAt(value, field);
}

const optionalFlagAt = (value: unknown, field: string): boolean =>
  isSent(value) && booleanAt(value, field);

function optionalUrlAt(value: unknown, field: string): string | null {
  const url = optionalTextAt(value, field);
  if (url !== null && !URL.canParse(url)) throw invalidField(field, 'must be a URL', value);
  return url;
}

function endpointAt(value: unknown, field: string): string | null {
  const endpoint = optionalTextAt(value, field);
  const fault = endpoint === null ? undefined : jwksEndpointFault(endpoint);
  if (fault !== undefined) throw invalidField(field, fault, value);
  return endpoint;
}

const READERS: Readers = {
  name: textAt,
  enabled: booleanAt,
  issuer: textAt,
  audience: textAt,
  certPem: optionalTextAt,
  kid: optionalTextAt,
  jwksEndpoint: endpointAt,
  externalAuthUrl: optionalUrlAt,
  clientId: optionalTextAt,
  claimsProperty: (value, field) => optionalTextAt(value, field) ?? DEFAULT_CLAIM,
  useExternalId: optionalFlagAt,
  scopes: (value, field) => (isSent(value) ? listAt(value, field, textAt) : []),
  targetToken: (value, field) =>
    isSent(value) ? choiceAt(TARGET_TOKENS, value, field) : TARGET_TOKENS[0],
  enrollToCertEnabled: optionalFlagAt,
  enrollToTokenEnabled: optionalFlagAt,
  enrollAuthPolicyId: optionalTextAt,
  enrollNameClaimsSelector: optionalTextAt,
  enrollAttributeClaimsSelector: optionalTextAt,
};

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
 * the field. Whether the certificate can be read, and uniqueness, are not looked at.
 */
export function checkExternalJwtSigner(
  body: unknown,
  current?: ExternalJwtSignerSettings,
): ExternalJwtSignerSettings {
  const sent = objectAt(body, 'body');
  const read = <K extends keyof ExternalJwtSignerSettings>(
    name: K,
  ): ExternalJwtSignerSettings[K] =>
    sent[name] === undefined && current ? current[name] : READERS[name](sent[name], name);
  const settings: ExternalJwtSignerSettings = {
    name: read('name'),
    enabled: read('enabled'),
    issuer: read('issuer'),
    audience: read('audience'),
    certPem: read('certPem'),
    kid: read('kid'),
    jwksEndpoint: read('jwksEndpoint'),
    externalAuthUrl: read('externalAuthUrl'),
    clientId: read('clientId'),
    claimsProperty: read('claimsProperty'),
    useExternalId: read('useExternalId'),
    scopes: read('scopes'),
    targetToken: read('targetToken'),
    enrollToCertEnabled: read('enrollToCertEnabled'),
    enrollToTokenEnabled: read('enrollToTokenEnabled'),
    enrollAuthPolicyId: read('enrollAuthPolicyId'),
    enrollNameClaimsSelector: read('enrollNameClaimsSelector'),
    enrollAttributeClaimsSelector: read('enrollAttributeClaimsSelector'),
  };
  checkKeySource(settings);
  return settings;
}

/** The claim that names the identity, as a JSON pointer: the leading slash may be left out. */
export const claimsPointer = (claimsProperty: string): string =>
  claimsProperty.startsWith('/') ? claimsProperty : `/${claimsProperty}`;
