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
    {
      name: column('text'),
      holder: column('text'),
      expiresAt: column('time'),
      address: column('text', {
        nullable: true,
        description: 'Where other controllers reach the holder, as `host:port`.',
      }),
      sessionHolder: column('text', {
        nullable: true,
        description: 'The holder, if its lease also ends with its session of the database.',
      }),
    },
    { key: ['name'] },
  ),
  table(
    'signing_key',
    'The certificates of the keys by which controllers sign tokens, current and former ones.',
    {
      kid: column('text', { description: 'Its SHA-1, by which tokens name the key.' }),
      controllerId: column('text', { index: 'btree' }),
      certPem: column('text', { collation: 'database' }),
      publishedAt: column('time'),
      sentAt: column('time', {
        description: 'When all connected routers had been sent it.',
        nullable: true,
      }),
      endsAt: column('time', {
        description: 'When no token can name it any more; null for the current key.',
        nullable: true,
      }),
    },
    { key: ['kid'] },
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
