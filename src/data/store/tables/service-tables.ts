import { CHANGE_PLACE } from '../../../base/change-place.js';
import { columnOfType as column, table } from '../../../kernel/declare/table.js';
import { ownerId } from './owner-id.js';

/** Tables about identities and their services, beside the policies. */
export const serviceTables = [
  table(
    'service_config_override',
    "The config that overrides a service's own config for one identity.",
    {
      identityId: ownerId('identity'),
      serviceId: ownerId('service'),
      configTypeId: ownerId('config_type'),
      configId: column('text', { references: { table: 'config', onDelete: 'restrict' } }),
    },
    { key: ['identityId', 'serviceId', 'configTypeId'] },
  ),
  table(
    'service_freshness',
    "The time of the last change of an identity's services.",
    { identityId: ownerId('identity'), changedAt: column('time') },
    { key: ['identityId'], isUnlogged: true },
  ),
  table(
    'service_freshness_state',
    'The position in the change log up to which `service_freshness` is computed.',
    {
      isSingle: column('boolean', { default: true, check: '"is_single"' }),
      beganAt: column('time'),
      epoch: column('integer'),
      xid: column('bigint'),
      seq: column('bigint'),
      position: column('text', { generated: CHANGE_PLACE }),
    },
    { key: ['isSingle'], isUnlogged: true },
  ),
  table(
    'access_use',
    'When an identity last used its access to a service.',
    {
      identityId: ownerId('identity'),
      serviceId: ownerId('service'),
      type: column('text'),
      usedAt: column('time'),
    },
    { key: ['identityId', 'serviceId', 'type'] },
  ),
  table(
    'access_use_recording',
    'The time since which all uses of access are recorded.',
    {
      isSingle: column('boolean', { default: true, check: '"is_single"' }),
      epoch: column('integer'),
      recordedSince: column('time'),
    },
    { key: ['isSingle'] },
  ),
  table(
    'service_request_failure',
    'The last requests of an identity for a service that posture checks refused.',
    { seq: column('counter'), identityId: ownerId('identity'), failure: column('json') },
    {
      key: ['seq'],
      indexes: [{ name: 'service_request_failure_identity_id_idx', on: ['identityId', 'seq'] }],
      isUnlogged: true,
    },
  ),
];
