import { columnOfType as column, table } from '../../../kernel/declare/table.js';
import { ownerId } from './owner-id.js';

/** Tables for logins beside authenticators and API sessions. */
export const loginTables = [
  table(
    'mfa',
    'The second factor of an identity.',
    {
      identityId: ownerId('identity'),
      id: column('text'),
      createdAt: column('time'),
      updatedAt: column('time'),
      isVerified: column('boolean', { default: false }),
      secret: column('text', { collation: 'database' }),
      recoveryCodes: column('text', { collation: 'database' }),
      lastStep: column('bigint', { default: 0 }),
    },
    { key: ['identityId'] },
  ),
  table(
    'login_counter',
    'Failed logins by username and by address.',
    {
      key: column('text'),
      failures: column('integer'),
      pending: column('integer', { default: 0 }),
      resetsAt: column('time'),
    },
    { key: ['key'], isUnlogged: true },
  ),
  table(
    'failed_login',
    'Refused logins of an hour in groups, whose number is bounded.',
    {
      hour: column('time'),
      /** Tells the groups of an hour apart: columns of a key are never null. */
      key: column('text'),
      method: column('text'),
      refusal: column('text'),
      sender: column('text', { nullable: true }),
      owner: column('text'),
      identityId: column('text', {
        nullable: true,
        references: { table: 'identity', onDelete: 'cascade' },
      }),
      count: column('integer'),
      lastAt: column('time'),
    },
    { key: ['hour', 'key'] },
  ),
  table(
    'hourly_login',
    'The sessions and failed logins of an hour.',
    {
      hour: column('time'),
      apiSessions: column('integer', { default: 0 }),
      sessions: column('integer', { default: 0 }),
      failedLogins: column('integer', { default: 0 }),
    },
    { key: ['hour'] },
  ),
  table(
    'authenticator_sender',
    'Addresses from which an authenticator has logged in.',
    {
      authenticatorId: ownerId('authenticator'),
      sender: column('text'),
      lastLoginAt: column('time'),
    },
    { key: ['authenticatorId', 'sender'] },
  ),
  table(
    'authorization_request',
    'Logins over OpenID Connect, of clients and of devices, that have not become tokens yet, and codes that were exchanged.',
    {
      id: column('text'),
      createdAt: column('time'),
      expiresAt: column('time', { index: 'btree' }),
      sender: column('text'),
      clientId: column('text'),
      /** Both are empty for a device, which gets no code. */
      redirectUri: column('text', { collation: 'database' }),
      codeChallenge: column('text', { collation: 'database' }),
      scopes: column('texts'),
      state: column('text', { nullable: true, collation: 'database' }),
      nonce: column('text', { nullable: true, collation: 'database' }),
      configTypes: column('texts'),
      csrPem: column('text', { nullable: true, collation: 'database' }),
      apiSessionId: column('text', {
        nullable: true,
        references: { table: 'api_session', onDelete: 'cascade' },
      }),
      /** Of the key that the answer to a complete login gives to the sender of its last proof. */
      keyHash: column('text', { nullable: true }),
      codeHash: column('text', { nullable: true }),
      codeExpiresAt: column('time', { nullable: true }),
      isCodeUsed: column('boolean', { default: false }),
      deviceCodeHash: column('text', { nullable: true }),
      userCodeHash: column('text', { nullable: true }),
      /** Whether a person lets the device have tokens; null: undecided. */
      isApproved: column('boolean', { nullable: true }),
      /** The time that a device has to wait between two questions for its tokens. */
      pollSeconds: column('integer', { nullable: true }),
      polledAt: column('time', { nullable: true }),
    },
    {
      isUnlogged: true,
      indexes: [
        { on: ['codeHash'], where: '"code_hash" is not null' },
        { on: ['sender'] },
        { on: ['deviceCodeHash'], where: '"device_code_hash" is not null' },
        { on: ['userCodeHash'], isUnique: true, where: '"user_code_hash" is not null' },
      ],
    },
  ),
  table(
    'used_refresh_token',
    'Refresh tokens that a newer one has replaced, until they end.',
    {
      jti: column('text'),
      apiSessionId: ownerId('api_session'),
      usedAt: column('time'),
      expiresAt: column('time', { index: 'btree' }),
    },
    { key: ['jti'] },
  ),
];
