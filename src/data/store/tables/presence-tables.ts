import { columnOfType as column, table } from '../../../kernel/declare/table.js';
import { ownerId } from './owner-id.js';

/** Tables of connected routers and clients, and of traces and questions for them. */
export const presenceTables = [
  table(
    'presence_version',
    'Counts the changes of the other tables.',
    {
      isOnly: column('boolean', { default: true, check: '"is_only"' }),
      generation: column('text', { default: { sql: 'gen_random_uuid()::text' } }),
      version: column('bigint'),
    },
    { key: ['isOnly'], isUnlogged: true },
  ),
  table(
    'router_presence',
    'Connected routers, and what they have said of themselves.',
    {
      routerId: ownerId('router'),
      connectionId: column('text'),
      version: column('bigint', { index: 'btree' }),
      hostname: column('text'),
      listeners: column('json'),
      linkListeners: column('json'),
      versionInfo: column('json', { nullable: true }),
      syncStatus: column('text'),
      inStepSince: column('time', { nullable: true }),
      connectedAt: column('time'),
      lapsesAt: column('time'),
    },
    { key: ['routerId'], isUnlogged: true },
  ),
  table(
    'router_client',
    'The identities that a router says are connected to it.',
    {
      identityId: column('text'),
      routerId: column('text', { index: 'btree' }),
      connectedAt: column('time'),
      report: column('text'),
    },
    { key: ['identityId', 'routerId'], isUnlogged: true },
  ),
  table(
    'identity_trace',
    'The identities whose traffic routers trace.',
    {
      identityId: ownerId('identity'),
      version: column('bigint', { index: 'btree' }),
      enabled: column('boolean'),
      traceId: column('text'),
      channels: column('texts'),
      until: column('time'),
    },
    { key: ['identityId'], isUnlogged: true },
  ),
  table(
    'inspection',
    'Questions to routers and controllers; they exist for seconds.',
    {
      id: column('text'),
      version: column('bigint', { index: 'btree' }),
      nodeIds: column('texts'),
      names: column('texts'),
      validation: column('text', { nullable: true }),
      fixes: column('boolean', { default: false }),
      until: column('time'),
    },
    { key: ['id'], isUnlogged: true },
  ),
  table(
    'inspection_answer',
    'The answers to questions to routers and controllers.',
    {
      inspectionId: ownerId('inspection'),
      nodeId: column('text'),
      answer: column('text'),
    },
    { key: ['inspectionId', 'nodeId'], isUnlogged: true },
  ),
];
