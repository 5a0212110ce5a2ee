import { SCOPES } from './clients.js';
import { DEVICE_CODE } from './exchange-device-code.js';
import { TOKEN_EXCHANGE } from './exchange-token.js';
import type { SigningAlgorithm } from '../pki/index.js';

/** The provider metadata (OpenID Connect Discovery 3), and where clients of the field send credentials. */
export const discoveryDocument = (issuer: string, algorithm: SigningAlgorithm['jws']): object => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  device_authorization_endpoint: `${issuer}/device_authorization`,
  token_endpoint: `${issuer}/oauth/token`,
  introspection_endpoint: `${issuer}/oauth/introspect`,
  userinfo_endpoint: `${issuer}/userinfo`,
  revocation_endpoint: `${issuer}/revoke`,
  end_session_endpoint: `${issuer}/end_session`,
  jwks_uri: `${issuer}/keys`,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_CODE, TOKEN_EXCHANGE],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [algorithm],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
  revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
  // A session of the caller: the registry of token types has this value (RFC 8414 2).
  introspection_endpoint_auth_methods_supported: ['Bearer'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  claims_supported: [
    'sub',
    'iss',
    'aud',
    'exp',
    'iat',
    'auth_time',
    'nonce',
    'amr',
    'azp',
    'at_hash',
    'name',
  ],
  ui_locales_supported: ['en'],
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  openziti_endpoints: {
    password: `${issuer}/login/password`,
    cert: `${issuer}/login/cert`,
    ext_jwt: `${issuer}/login/ext-jwt`,
    totp: `${issuer}/login/totp`,
    totp_enroll: `${issuer}/login/totp/enroll`,
    totp_enroll_verify: `${issuer}/login/totp/enroll/verify`,
    auth_queries: `${issuer}/login/auth-queries`,
  },
});
