import { columnOfType as column, table } from '../../../kernel/declare/table.js';

/** Tables that controllers share about the network as a whole. */
export const networkTables = [
  /** The id of the network, and its epoch. */
  table('network_record', {
    id: column('text'),
    epoch: column('integer'),
    systemIdentifier: column('text'),
    rootFingerprint: column('text'),
    keyCheck: column('text'),
    createdAt: column('time'),
  }),
  /** Leases of work that one controller does for all. */
  table(
    'lease',
    { name: column('text'), holder: column('text'), expiresAt: column('time') },
    { key: ['name'] },
  ),
  /** The positions up to which the change log is pruned, and up to which its sessions are counted. */
  table(
    'change_log',
    {
      isSingle: column('boolean', { default: true, check: '"is_single"' }),
      prunedId: column('text', { default: '' }),
      prunedAt: column('time', { default: '-infinity' }),
      prunedRevision: column('integer', { default: 0 }),
      loginsCountedId: column('text', { default: '' }),
    },
    { key: ['isSingle'] },
  ),
  /** The last run of each check of the stored data. */
  table(
    'integrity_run',
    {
      name: column('text'),
      holder: column('text'),
      fixing: column('boolean'),
      startedAt: column('time'),
      endedAt: column('time', { nullable: true }),
      error: column('text', { nullable: true, collation: 'database' }),
      tooManyErrors: column('boolean', { default: false }),
      results: column('json', { default: [] }),
      lapsesAt: column('time'),
    },
    { key: ['name'] },
  ),
];
