import type { LoginSignersResult } from '../emitted/operations.js';

type ReadSigner = NonNullable<LoginSignersResult['authenticationSigners']>['nodes'][number];

/** An external JWT signer with a login page that this page can lead to. */
export type Signer = ReadSigner & {
  readonly externalAuthUrl: string;
  readonly clientId: string;
};

/** Tokens go over TLS alone. */
export function hasLoginPage(signer: ReadSigner): signer is Signer {
  const { externalAuthUrl, clientId } = signer;
  const isSecure = URL.canParse(externalAuthUrl ?? '') && /^https:/i.test(externalAuthUrl ?? '');
  return isSecure && (clientId ?? '') !== '';
}
