import { columnOfType as column, table } from '../../kernel/declare/table.js';
import { ownerId } from './owner-id.js';

/** Tables for logins beside authenticators and API sessions. */
export const loginTables = [
  /** The second factor of an identity. */
  table(
    'mfa',
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
  /** Failed logins by username and by address. */
  table(
    'login_counter',
    {
      key: column('text'),
      failures: column('integer'),
      pending: column('integer', { default: 0 }),
      resetsAt: column('time'),
    },
    { key: ['key'], isUnlogged: true },
  ),
  /** Addresses from which an authenticator has logged in. */
  table(
    'authenticator_sender',
    {
      authenticatorId: ownerId('authenticator'),
      sender: column('text'),
      lastLoginAt: column('time'),
    },
    { key: ['authenticatorId', 'sender'] },
  ),
];
