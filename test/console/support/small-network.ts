import { PLAIN_PASSWORDS } from '../../support/auth-settings.js';

/**
 * As other controllers export it: a router with attributes on its identity, and an auth policy and a
 * signer that name each other.
 */
export const SMALL_NETWORK = {
  externalJwtSigners: [
    {
      name: 'tokens',
      issuer: 'https://tokens.example/',
      audience: 'network',
      jwksEndpoint: 'https://tokens.example/keys',
      enabled: true,
      enrollToTokenEnabled: true,
      enrollAuthPolicy: '@by tokens',
    },
  ],
  authPolicies: [
    {
      name: 'by tokens',
      primary: {
        cert: { allowed: false, allowExpiredCerts: false },
        extJwt: { allowed: true, allowedSigners: ['@tokens'] },
        updb: { ...PLAIN_PASSWORDS, allowed: false },
      },
      secondary: { requireTotp: false },
    },
  ],
  edgeRouters: [{ name: 'gate 1', isTunnelerEnabled: true }],
  services: [{ name: 'pump', encryptionRequired: true }],
  identities: [
    { name: 'gate 1', typeId: 'Router', isAdmin: false, roleAttributes: ['gates'] },
    { name: 'guest', typeId: 'Default', isAdmin: false, authPolicy: '@by tokens' },
  ],
  servicePolicies: [
    {
      name: 'gates host pumps',
      type: 'Bind',
      semantic: 'AnyOf',
      identityRoles: ['@gate 1'],
      serviceRoles: ['@pump'],
    },
  ],
};
