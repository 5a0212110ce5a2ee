import { columnOfType as column, table } from '../../kernel/declare/table.js';
import { ownerId } from './owner-id.js';

/** Tables of the bytes that circuits have carried. */
export const usageTables = [
  table(
    'circuit_usage',
    { circuitId: ownerId('circuit'), sentBytes: column('bigint'), receivedBytes: column('bigint') },
    { key: ['circuitId'], isUnlogged: true },
  ),
  /** The ids stay when the service or the identity is deleted. */
  table(
    'hourly_usage',
    {
      hour: column('time'),
      serviceId: column('text', { index: 'btree' }),
      identityId: column('text', { index: 'btree' }),
      sentBytes: column('bigint'),
      receivedBytes: column('bigint'),
    },
    { key: ['hour', 'serviceId', 'identityId'] },
  ),
];
