import { OAuthError } from './oauth-error.js';

/** The scopes of new tokens: those of the earlier ones, or the part of them that the client asks for. */
export function narrowedScopes(
  granted: readonly string[],
  asked: string | undefined,
): readonly string[] {
  if (asked === undefined) return granted;
  const scopes = asked.split(' ').filter((scope) => scope !== '');
  if (scopes.every((scope) => granted.includes(scope))) return scopes;
  throw new OAuthError('invalid_scope', 'the scope is more than what was granted');
}
