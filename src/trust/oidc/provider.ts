import type { RequestContext } from '../../kernel/request/context.js';
import { OAuthError } from './oauth-error.js';
import type { Parameters } from './parameters.js';

/** The settings of the provider. */
export interface OidcSettings {
  /** Further redirect addresses after a login. */
  readonly redirectUris: readonly string[];
  /** Further redirect addresses after the end of a session. */
  readonly postLogoutUris: readonly string[];
  /** Seconds for which access tokens and ID tokens are valid. */
  readonly accessSeconds: number;
  /** Seconds for which refresh tokens are valid, and sessions live without a request. */
  readonly refreshSeconds: number;
}

/** A request to an endpoint of the provider. */
export interface OidcRequest {
  readonly ctx: RequestContext;
  /** The issuer that the request addresses. */
  readonly issuer: string;
  readonly parameters: Parameters;
  /** The header `Authorization`, which may name the client. */
  readonly authorization: string | undefined;
  readonly settings: OidcSettings;
}

/** @throws OAuthError invalid_request */
export function requiredParameter(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value !== undefined) return value;
  throw new OAuthError('invalid_request', `${name} missing`);
}
