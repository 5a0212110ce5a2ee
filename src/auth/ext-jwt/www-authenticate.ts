import type { JwtSigner } from './jwt-signer.js';
import type { ExternalJwtFailure } from './verify-external-jwt.js';

/** Characters of ids and issuers together: clients refuse answers with very long headers. */
const MOST_NAMED = 4096;

/** A list in one quoted value (RFC 9110 5.6.4). Clients split it at the bars. */
const quotedList = (values: readonly string[]): string =>
  `"${values.map((value) => escaped(value)).join('|')}"`;

function escaped(text: string): string {
  const line = text.replace(/\p{Cc}/gu, '');
  // Header values are bytes, of which Node takes one per character.
  const bytes = Buffer.from(line, 'utf8').toString('latin1');
  return bytes.replace(/[\\"]/g, '\\$&');
}

/** As many signers as fit, and one at least. */
function named<S extends Pick<JwtSigner, 'id' | 'issuer'>>(signers: readonly S[]): S[] {
  let size = 0;
  return signers.filter(({ id, issuer }, index) => {
    size += id.length + issuer.length;
    return index === 0 || size <= MOST_NAMED;
  });
}

/**
 * The `WWW-Authenticate` value that asks for a token of one of the signers: parameters stand apart
 * by spaces, as clients of this protocol read them. Undefined when there is no signer to ask for.
 */
export function wwwAuthenticate(
  kind: 'primary' | 'secondary',
  failure: Pick<ExternalJwtFailure, 'error' | 'description'>,
  signers: readonly Pick<JwtSigner, 'id' | 'issuer'>[],
): string | undefined {
  if (signers.length === 0) return undefined;
  const shown = named(signers);
  return [
    `Bearer realm="openziti-${kind}-ext-jwt"`,
    `error="${failure.error}"`,
    `error_description=${quotedList([failure.description])}`,
    `id=${quotedList(shown.map(({ id }) => id))}`,
    `issuer=${quotedList(shown.map(({ issuer }) => issuer))}`,
  ].join(' ');
}
