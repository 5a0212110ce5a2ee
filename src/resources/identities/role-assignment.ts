import {
  attribute,
  oneOf,
  reference,
  text,
  time,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { resource } from '../../kernel/declare/resource.js';
import { Entity } from '../entity.js';
import { isOfCaller } from '../own-rows.js';
import { roleAssignmentHooks } from './role-assignment-hooks.js';

const MAX_REASON_LENGTH = 1_000;

const STATE = oneOf(
  'RoleAssignmentState',
  {
    PENDING: 'It has not begun.',
    ACTIVE: 'The identity has the role attribute.',
    ENDED: 'Its time is over.',
  },
  'Whether a role assignment has begun or ended.',
);

@resource({
  description:
    'A role attribute that an identity has for a time, or from another source than the list on the identity. The clock of the database decides when it begins and ends.',
  plural: 'RoleAssignments',
  path: 'role-assignments',
  permission: 'identity',
  writeAction: 'update',
  exported: false,
  isRecord: true,
  visible: isOfCaller,
  hooks: roleAssignmentHooks,
  storage: {
    indexes: [
      {
        // By its name, a refusal names the attribute.
        name: 'role_assignment_role_attribute_key',
        on: ['identityId', 'roleAttribute', 'source'],
        isUnique: true,
        where: `"state" <> 'ENDED'`,
      },
      { on: ['source', 'roleAttribute'] },
      { name: 'role_assignment_pending_idx', on: ['activeFrom'], where: `"state" = 'PENDING'` },
      { name: 'role_assignment_active_idx', on: ['activeUntil'], where: `"state" = 'ACTIVE'` },
      { name: 'role_assignment_ended_idx', on: ['activeUntil'], where: `"state" = 'ENDED'` },
    ],
  },
})
export class RoleAssignment extends Entity {
  @attribute(reference('Identity', { onDelete: 'cascade' }), {
    description: 'Id of the identity.',
    // The unique index leaves out ended assignments.
    column: { index: 'btree' },
    write: 'create',
    required: true,
    filter: 'identity',
    missingField: 'identityId',
  })
  identityId!: string;

  @attribute(text({ min: 1 }), {
    description: 'The role attribute.',
    write: 'create',
    required: true,
    filter: true,
  })
  roleAttribute!: string;

  @attribute(text(), {
    description:
      'The origin of the assignment. Callers write those of source `hand`; only another source itself writes its own.',
    write: 'never',
    filter: true,
  })
  source!: string;

  @attribute(STATE, {
    description: 'Whether it has begun or ended.',
    write: 'never',
    filter: true,
  })
  state!: ValueOf<typeof STATE>;

  @attribute(time(), {
    description: 'When it begins; default: now.',
    filter: true,
  })
  activeFrom!: Date;

  @attribute(time(), {
    description: 'When it ends, after its beginning; null: never.',
    nullable: true,
    filter: true,
  })
  activeUntil!: Date | null;

  @attribute(text({ max: MAX_REASON_LENGTH }), {
    description: 'Reason for the assignment.',
    nullable: true,
    filter: true,
  })
  reason!: string | null;

  @attribute(reference('Identity', { onDelete: 'keep' }), {
    description: 'Id of the identity that asked for it.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  requestedById!: string | null;

  @attribute(reference('Identity', { onDelete: 'keep' }), {
    description: 'Id of the identity that approved it.',
    write: 'never',
    nullable: true,
    filter: true,
  })
  approvedById!: string | null;
}
