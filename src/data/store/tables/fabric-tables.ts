import { columnOfType as column, table } from '../../../kernel/declare/table.js';
import { ownerId } from './owner-id.js';

/** Tables of what circuits and routers do and carry, beside those of links and circuits. */
export const fabricTables = [
  /** Counts the events of circuits. */
  table(
    'circuit_event_version',
    {
      isOnly: column('boolean', { default: true, check: '"is_only"' }),
      generation: column('text', { default: { sql: 'gen_random_uuid()::text' } }),
      version: column('bigint'),
    },
    { key: ['isOnly'], isUnlogged: true },
  ),
  /** The latest events of circuits. */
  table(
    'circuit_event',
    {
      version: column('bigint'),
      kind: column('text'),
      at: column('time'),
      circuitId: column('text'),
      sessionId: column('text'),
      serviceId: column('text'),
      identityId: column('text'),
      hostId: column('text'),
      terminatorId: column('text'),
      routerIds: column('texts'),
      linkIds: column('texts'),
      createdAt: column('time'),
    },
    { key: ['version'], isUnlogged: true },
  ),
  table(
    'circuit_usage',
    { circuitId: ownerId('circuit'), sentBytes: column('bigint'), receivedBytes: column('bigint') },
    { key: ['circuitId'], isUnlogged: true },
  ),
  /** What dials of terminators have made of their costs. */
  table(
    'terminator_cost',
    {
      terminatorId: ownerId('terminator'),
      circuits: column('integer'),
      failures: column('integer'),
      at: column('time'),
    },
    { key: ['terminatorId'], isUnlogged: true },
  ),
  /** What each router has measured last. */
  table(
    'router_metrics',
    { routerId: ownerId('router'), measuredAt: column('time'), metrics: column('json') },
    { key: ['routerId'], isUnlogged: true },
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
