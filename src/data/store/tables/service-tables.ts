import { CHANGE_PLACE } from '../../../base/change-place.js';
import { columnOfType as column, table } from '../../../kernel/declare/table.js';
import { ownerId } from './owner-id.js';

/** Tables about identities and their services, beside the policies. */
export const serviceTables = [
  /** The config that overrides a service's own config for one identity. */
  table(
    'service_config_override',
    {
      identityId: ownerId('identity'),
      serviceId: ownerId('service'),
      configTypeId: ownerId('config_type'),
      configId: column('text', { references: { table: 'config', onDelete: 'restrict' } }),
    },
    { key: ['identityId', 'serviceId', 'configTypeId'] },
  ),
  /** The time of the last change of an identity's services. */
  table(
    'service_freshness',
    { identityId: ownerId('identity'), changedAt: column('time') },
    { key: ['identityId'], isUnlogged: true },
  ),
  /** The position in the change log up to which `service_freshness` is computed. */
  table(
    'service_freshness_state',
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
  /** When an identity last used its access to a service. */
  table(
    'access_use',
    {
      identityId: ownerId('identity'),
      serviceId: ownerId('service'),
      type: column('text'),
      usedAt: column('time'),
    },
    { key: ['identityId', 'serviceId', 'type'] },
  ),
  /** Since when all uses of access are recorded. */
  table(
    'access_use_recording',
    {
      isSingle: column('boolean', { default: true, check: '"is_single"' }),
      epoch: column('integer'),
      recordedSince: column('time'),
    },
    { key: ['isSingle'] },
  ),
  /** The last requests of an identity for a service that posture checks refused. */
  table(
    'service_request_failure',
    { seq: column('counter'), identityId: ownerId('identity'), failure: column('json') },
    {
      key: ['seq'],
      indexes: [{ name: 'service_request_failure_identity_id_idx', on: ['identityId', 'seq'] }],
      isUnlogged: true,
    },
  ),
];
