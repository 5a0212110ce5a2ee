import { columnOfType as column, table } from '../../../kernel/declare/table.js';
import { ownerId } from './owner-id.js';

/** Tables of the posture data that devices report. */
export const postureTables = [
  table(
    'identity_posture',
    'The posture data of an identity, of all of its devices.',
    { identityId: ownerId('identity'), data: column('json'), revision: column('bigint') },
    { key: ['identityId'], isUnlogged: true },
  ),
  table(
    'api_session_posture',
    'The posture data of one API session.',
    {
      apiSessionId: ownerId('api_session'),
      identityId: column('text', { index: 'btree' }),
      data: column('json'),
      passedMfaAt: column('time', { nullable: true, index: 'btree' }),
      wokenAt: column('time', { nullable: true, index: 'btree' }),
      unlockedAt: column('time', { nullable: true, index: 'btree' }),
      judgedAt: column('time'),
    },
    { key: ['apiSessionId'], isUnlogged: true },
  ),
];
