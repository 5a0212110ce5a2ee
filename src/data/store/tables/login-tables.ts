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
];
