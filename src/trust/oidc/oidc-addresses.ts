import { controllerSettings } from '../../data/rows/controller/index.js';
import { invalidField } from '../../base/errors.js';

/** The lists of redirect addresses; null where those of all controllers count. */
interface OidcAddresses {
  readonly redirectUris: readonly string[] | null;
  readonly postLogoutUris: readonly string[] | null;
}

const MAX_ADDRESSES = 100;
const MAX_LENGTH = 2_048;

/** No blanks or control characters, which programs read in different ways, and no fragment (RFC 6749 3.1.2). */
const PRINTABLE = /^[\x21-\x22\x24-\x7e]+$/;
/** Schemes that browsers run or read instead of asking somebody. */
const INSIDE_BROWSER = /^(?:javascript|data|vbscript|file|blob|about):/i;

/** @throws ApiError COULD_NOT_VALIDATE */
export function checkOidcAddresses(field: string, addresses: readonly string[]): void {
  if (addresses.length > MAX_ADDRESSES) {
    throw invalidField(field, `has more than ${String(MAX_ADDRESSES)} addresses`, '');
  }
  for (const address of addresses) {
    if (!isAddress(address)) {
      throw invalidField(field, 'must have complete addresses without a fragment', address);
    }
  }
}

const isAddress = (text: string): boolean =>
  text.length <= MAX_LENGTH &&
  PRINTABLE.test(text) &&
  URL.canParse(text) &&
  !INSIDE_BROWSER.test(text);

const NONE: OidcAddresses = { redirectUris: [], postLogoutUris: [] };

/** The lists that count at a controller: its own, or else those of all controllers. */
export const effectiveAddresses = (
  global: OidcAddresses = NONE,
  own: OidcAddresses = global,
): { redirectUris: string[]; postLogoutUris: string[] } => ({
  redirectUris: [...(own.redirectUris ?? global.redirectUris ?? [])],
  postLogoutUris: [...(own.postLogoutUris ?? global.postLogoutUris ?? [])],
});

/** The settings of all controllers in a new network. */
export const globalSettings = {
  id: controllerSettings.GLOBAL,
  oidc: { redirectUris: [], postLogoutUris: [] },
  isSystem: true,
} as const;
