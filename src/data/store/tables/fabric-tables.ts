import { columnOfType as column, table } from '../../../kernel/declare/table.js';
import { ownerId } from './owner-id.js';

/** Tables of what circuits and routers do and carry, beside those of links and circuits. */
export const fabricTables = [
  table(
    'circuit_event_version',
    'Counts the events of circuits.',
    {
      isOnly: column('boolean', { default: true, check: '"is_only"' }),
      generation: column('text', { default: { sql: 'gen_random_uuid()::text' } }),
      version: column('bigint'),
    },
    { key: ['isOnly'], isUnlogged: true },
  ),
  table(
    'circuit_event',
    'The latest events of circuits.',
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
    'The bytes that a circuit has carried.',
    { circuitId: ownerId('circuit'), sentBytes: column('bigint'), receivedBytes: column('bigint') },
    { key: ['circuitId'], isUnlogged: true },
  ),
  table(
    'terminator_cost',
    'The costs of terminators as their dials have made them.',
    {
      terminatorId: ownerId('terminator'),
      circuits: column('integer'),
      failures: column('integer'),
      at: column('time'),
    },
    { key: ['terminatorId'], isUnlogged: true },
  ),
  table(
    'router_metrics',
    'The last measurements of each router.',
    { routerId: ownerId('router'), measuredAt: column('time'), metrics: column('json') },
    { key: ['routerId'], isUnlogged: true },
  ),
  table(
    'hourly_usage',
    'The bytes of an hour by service, identity and router; the ids stay when the service or the identity is deleted.',
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
