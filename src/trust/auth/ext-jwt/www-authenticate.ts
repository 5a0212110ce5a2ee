import type { JwtSigner } from './jwt-signer.js';
import type { ExternalJwtFailure } from './verify-external-jwt.js';

/** Limit of characters in all ids and issuers, since clients refuse very long headers. */
const MAX_CHARACTERS = 4096;

/** A list in one quoted value (RFC 9110 5.6.4). Clients split it at the bars. */
const quotedList = (values: readonly string[]): string =>
  `"${values.map((value) => escaped(value)).join('|')}"`;

function escaped(text: string): string {
  const line = text.replace(/\p{Cc}/gu, '');
  // Header values are bytes; Node sends one byte for each character.
  const bytes = Buffer.from(line, 'utf8').toString('latin1');
  return bytes.replace(/[\\"]/g, '\\$&');
}

/** The signers that fit into the limit; at least one. */
function signersThatFit<S extends Pick<JwtSigner, 'id' | 'issuer'>>(signers: readonly S[]): S[] {
  let size = 0;
  return signers.filter(({ id, issuer }, index) => {
    size += id.length + issuer.length;
    return index === 0 || size <= MAX_CHARACTERS;
  });
}

/**
 * The `WWW-Authenticate` value that asks for a token of one of the signers. Spaces separate the
 * parameters, as clients of this protocol expect. Undefined without signers.
 */
export function wwwAuthenticate(
  kind: 'primary' | 'secondary',
  failure: Pick<ExternalJwtFailure, 'error' | 'description'>,
  signers: readonly Pick<JwtSigner, 'id' | 'issuer'>[],
): string | undefined {
  if (signers.length === 0) return undefined;
  const shown = signersThatFit(signers);
  return [
    `Bearer realm="openziti-${kind}-ext-jwt"`,
    `error="${failure.error}"`,
    `error_description=${quotedList([failure.description])}`,
    `id=${quotedList(shown.map(({ id }) => id))}`,
    `issuer=${quotedList(shown.map(({ issuer }) => issuer))}`,
  ].join(' ');
}
