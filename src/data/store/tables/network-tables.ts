import { columnOfType as column, table } from '../../../kernel/declare/table.js';

/** Tables that controllers share about the network as a whole. */
export const networkTables = [
  table('network_record', 'The id of the network, and its epoch.', {
    id: column('text'),
    epoch: column('integer'),
    systemIdentifier: column('text'),
    rootFingerprint: column('text'),
    keyCheck: column('text'),
    createdAt: column('time'),
  }),
  table(
    'lease',
    'Leases of work that one controller does for all.',
    { name: column('text'), holder: column('text'), expiresAt: column('time') },
    { key: ['name'] },
  ),
  table(
    'change_log',
    'The positions up to which the change log is pruned, and up to which its sessions are counted.',
    {
      isSingle: column('boolean', { default: true, check: '"is_single"' }),
      prunedId: column('text', { default: '' }),
      prunedAt: column('time', { default: '-infinity' }),
      prunedRevision: column('integer', { default: 0 }),
      loginsCountedId: column('text', { default: '' }),
    },
    { key: ['isSingle'] },
  ),
  table(
    'integrity_run',
    'The last run of each check of the stored data.',
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
