import {
  attribute,
  attributeSet,
  bool,
  int,
  map,
  object,
  oneOf,
  reference,
  text,
  textSet,
  time,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { isDisabled } from '../../trust/auth/index.js';
import { isDisabledSql } from '../../data/rows/identity/index.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import { resource } from '../../kernel/declare/resource.js';
import type { Computed, InputOnly, RowOf } from '../../kernel/declare/rows.js';
import type { JsonObject } from '../../base/row.js';
import { FALSE, column, raw, sql } from '../../base/sql.js';
import { columnOfType } from '../../kernel/declare/table.js';
import { EFFECTIVE_SOURCES, effectiveAttributes } from '../../kernel/policy/index.js';
import { childrenOf } from '../child-relations.js';
import { NamedEntity } from '../entity.js';
import {
  connected,
  connectedSql,
  connectionStatus,
  connectionStatusSql,
} from './identity-connection.js';
import { identityHooks } from './identity-hooks.js';
import {
  authenticatorsSql,
  enrollmentsSql,
  EnvInfo,
  IdentityAuthenticators,
  IdentityEnrollmentRequest,
  IdentityEnrollments,
  interfaces,
  SdkInfo,
  type NetworkInterface,
} from './identity-shapes.js';
import { IDLE_HOURS } from './idle-hours.js';
import { roleFilterArguments } from '../policies/role-filter.js';
import { IDENTITY_ENROLLMENTS } from '../secrets.js';
import { PRECEDENCE } from '../services/terminator.js';

const disabled = computeFrom<'Identity'>()(
  ['disabledAt', 'disabledUntil', 'isOutsideTimes'],
  (rows, ctx) => rows.map((row) => isDisabled(row, ctx.now())),
);

/** The clock decides it, and `disabled` tells it in REST bodies. */
const TIMED_STATE = {
  write: 'never',
  graphOnly: true,
  isStamp: true,
  graphFilter: true,
} as const;

const effective = computeFrom<'Identity'>()(EFFECTIVE_SOURCES, (rows) =>
  rows.map(effectiveAttributes),
);

@resource({
  description: 'A person, device, service or router that authenticates.',
  plural: 'Identities',
  path: 'identities',
  permission: 'identity',
  createdOften: true,
  counted: true,
  decides: { reach: [...EFFECTIVE_SOURCES], callers: 'identityId' },
  unique: [['externalId']],
  storage: {
    columns: {
      effectiveRoleAttributes: columnOfType('texts', {
        generated: 'role_attributes || assigned_role_attributes',
        index: 'gin',
      }),
    },
    indexes: [
      { name: 'identity_due_idx', on: ['nextChangeAt'], where: '"next_change_at" is not null' },
    ],
  },
  visible: (ctx, alias) =>
    ctx.caller ? sql`${column(alias, 'id')} = ${ctx.caller.identityId}::text` : FALSE,
  isCaller: ({ caller }, { id }) => id === caller?.identityId,
  links: [
    'edge-router-policies',
    'edge-routers',
    'service-policies',
    'services',
    'posture-data',
    'failed-service-requests',
    'authenticators',
    'enrollments',
    'service-configs',
  ],
  rest: {
    links: ({ authPolicyId }: RowOf<'Identity'>) => ({
      'auth-policies': `auth-policies/${authPolicyId}`,
    }),
  },
  listArguments: roleFilterArguments('identity'),
  relations: [
    childrenOf(
      'authenticatorsConnection',
      'Authenticator',
      'identityId',
      'How it can log in, as entities.',
      'authenticators',
    ),
    childrenOf('enrollments', 'Enrollment', 'identityId', 'Its outstanding enrollments.'),
    childrenOf(
      'roleAssignments',
      'RoleAssignment',
      'identityId',
      'The role attributes that it has for a time or from another source.',
    ),
    childrenOf('apiSessions', 'ApiSession', 'identityId', 'Its API sessions.', false),
    childrenOf('sessions', 'Session', 'identityId', 'Its sessions.', false),
    childrenOf('circuits', 'Circuit', 'identityId', 'The circuits that it dialed.', false),
  ],
  hooks: identityHooks,
  isDrafted: true,
  keptWith: {
    resource: 'EdgeRouter',
    kept: { typeId: 'Router' },
    madeFor: { isTunnelerEnabled: true },
    attributes: ['name', 'typeId'],
  },
  exported: {
    nested: [
      { path: 'serviceHostingCosts', form: 'keys', target: 'Service' },
      { path: 'serviceHostingPrecedences', form: 'keys', target: 'Service' },
    ],
    unique: ['externalId'],
  },
})
export class Identity extends NamedEntity {
  @attribute(reference('IdentityType', { as: 'type', onDelete: 'restrict' }), {
    description: 'Id of its type.',
    filter: 'type',
    inputName: 'type',
    inputType: oneOf(
      'IdentityKind',
      {
        User: 'A person; kept as `Default`.',
        Device: 'A device; kept as `Default`.',
        Service: 'A program; kept as `Default`.',
        Router: 'An edge router with a tunneler; made with it alone.',
        Default: 'Any person, device or program.',
      },
      'What an identity stands for.',
    ),
    required: true,
  })
  typeId!: string;

  @attribute(bool(), {
    description: 'Whether it may administer everything.',
    required: true,
    filter: true,
    column: { default: false },
  })
  isAdmin!: boolean;

  @attribute(bool(), {
    description: 'The first administrator, who can not be deleted and stays an administrator.',
    write: 'never',
    filter: true,
  })
  isDefaultAdmin!: boolean;

  @attribute(bool(), {
    description: 'Whether a second factor is set up.',
    write: 'never',
    graphFilter: true,
  })
  isMfaEnabled!: boolean;

  @attribute(attributeSet(), {
    description: 'The role attributes written on it, which have no end.',
    filter: true,
  })
  roleAttributes!: string[];

  @attribute(textSet(), {
    description: 'The role attributes that its role assignments give it now.',
    write: 'never',
    graphOnly: true,
  })
  assignedRoleAttributes!: string[];

  @attribute(attributeSet(), {
    description:
      'What policies select it by: the role attributes written on it, and those of its role assignments. While it is pending, they do so only after its approval.',
    write: 'never',
    compute: effective,
    graphFilter: (alias) => column(alias, 'effective_role_attributes'),
  })
  effectiveRoleAttributes!: Computed<string[]>;

  @attribute(bool(), {
    description:
      'Whether it waits for its approval. Until then only policies with the role `#pending` select it, whatever else it has.',
    write: 'create',
    filter: true,
    column: { default: false },
  })
  isPending!: boolean;

  @attribute(text(), {
    description: 'The id that external authorities use for it; unique.',
    nullable: true,
    filter: true,
    isExternalId: true,
  })
  externalId!: string | null;

  @attribute(reference('AuthPolicy', { onDelete: 'restrict' }), {
    description: 'Id of the auth policy; blank is `default`.',
    default: 'default',
    filter: true,
  })
  authPolicyId!: string;

  @attribute(int({ min: 0, max: 65535 }), { description: 'Cost of terminators that it hosts.' })
  defaultHostingCost!: number;

  @attribute(PRECEDENCE, {
    description: 'Precedence of terminators that it hosts.',
    default: 'default',
  })
  defaultHostingPrecedence!: ValueOf<typeof PRECEDENCE>;

  @attribute(map('cost'), { description: 'Service id -> cost of terminators for it.', default: {} })
  serviceHostingCosts!: JsonObject;

  @attribute(map('precedence'), {
    description: 'Service id -> precedence of terminators for it.',
    default: {},
  })
  serviceHostingPrecedences!: JsonObject;

  @attribute(map(), { description: 'Free data for applications.', default: {} })
  appData!: JsonObject;

  @attribute(textSet(), {
    description: 'Its permissions in the management of the network.',
    column: { index: 'gin' },
  })
  permissions!: string[];

  @attribute(bool(), {
    description: 'Whether it may not log in now: somebody disabled it, or it is outside its times.',
    write: 'never',
    compute: disabled,
    graphFilter: (alias, ctx) => isDisabledSql(alias, ctx.now()),
  })
  disabled!: Computed<boolean>;

  @attribute(time(), { description: 'When it was disabled.', write: 'never', nullable: true })
  disabledAt!: Date | null;

  @attribute(time(), {
    description: 'Until when; null while disabled: until enabled.',
    write: 'never',
    nullable: true,
  })
  disabledUntil!: Date | null;

  @attribute(time(), {
    description: 'When it begins to count; null: at once. Before, it is disabled.',
    keptByReplace: true,
    nullable: true,
    graphFilter: true,
  })
  validFrom!: Date | null;

  @attribute(time(), {
    description: 'When it ends, after `validFrom`; null: never. From then on it is disabled.',
    keptByReplace: true,
    nullable: true,
    graphFilter: true,
  })
  validUntil!: Date | null;

  @attribute(bool(), {
    description:
      'Whether it is outside its times, and so disabled, whoever enables it. The clock of the database decides.',
    ...TIMED_STATE,
    column: { default: false },
  })
  isOutsideTimes!: boolean;

  @attribute(time(), {
    description: 'When it begins or ends by itself; null: not any more.',
    ...TIMED_STATE,
    nullable: true,
  })
  nextChangeAt!: Date | null;

  @attribute(
    reference('ExternalJwtSigner', { as: 'createdBySigner', onDelete: 'keep', onRest: false }),
    {
      description:
        'Id of the external JWT signer whose JWT created it at its first login; it stays when the signer is deleted. Only this signer confirms it, unless its auth policy names others.',
      write: 'never',
      nullable: true,
      graphOnly: true,
      graphFilter: true,
      column: { index: 'btree' },
    },
  )
  createdBySignerId!: string | null;

  @attribute(
    reference('CertificateAuthority', {
      as: 'createdByAuthority',
      onDelete: 'keep',
      onRest: false,
    }),
    {
      description:
        'Id of the authority whose X509-SVID created it at its first login; it stays when the authority is deleted.',
      write: 'never',
      nullable: true,
      graphOnly: true,
      graphFilter: true,
      column: { index: 'btree' },
    },
  )
  createdByAuthorityId!: string | null;

  @attribute(time(), {
    description:
      'When it last had an API session, to ten minutes; null for identities that never had hours before a deletion and that no first login created.',
    write: 'never',
    nullable: true,
    graphOnly: true,
    graphFilter: true,
    unlogged: true,
  })
  lastUsedAt!: Date | null;

  @attribute(IDLE_HOURS, {
    description:
      'Hours after its last API session, or after this was set, at which it is deleted; null: never, unless the signer that created it says so. A disabled one stays.',
    keptByReplace: true,
    nullable: true,
    graphOnly: true,
    graphFilter: true,
    column: { index: 'btree' },
  })
  idleHoursBeforeDeletion!: number | null;

  @attribute(object(() => EnvInfo), {
    description: 'Where it last logged in from.',
    write: 'never',
    graphFilter: true,
    unlogged: true,
  })
  envInfo!: EnvInfo;

  @attribute(object(() => SdkInfo), {
    description: 'The software of its last login.',
    write: 'never',
    graphFilter: true,
    unlogged: true,
  })
  sdkInfo!: SdkInfo;

  @attribute(interfaces, { description: 'Its network interfaces.', write: 'never', unlogged: true })
  interfaces!: NetworkInterface[];

  @attribute(object(() => IdentityAuthenticators), {
    description: 'How it can log in, in short.',
    write: 'never',
    sql: authenticatorsSql,
  })
  authenticators!: Computed<IdentityAuthenticators>;

  @attribute(object(() => IdentityEnrollments), {
    description: 'Its outstanding enrollments, by method; on create the one to prepare.',
    write: 'never',
    sql: enrollmentsSql,
    secret: IDENTITY_ENROLLMENTS,
  })
  enrollment!: Computed<IdentityEnrollments>;

  @attribute(object(() => IdentityEnrollmentRequest), {
    description: 'The enrollment to prepare.',
    write: 'create',
    inputOnly: true,
    inputName: 'enrollment',
    nullable: true,
  })
  enrollmentRequest!: InputOnly<IdentityEnrollmentRequest | null>;

  @attribute(bool(), {
    description: 'Whether it is logged in somewhere.',
    write: 'never',
    graphFilter: true,
    searchesOtherRows: true,
    sql: (alias) =>
      sql`exists (select 1 from api_session s where s.identity_id = ${raw(`"${alias}"."id"`)})`,
  })
  hasApiSession!: Computed<boolean>;

  @attribute(bool(), {
    description: 'Whether a client of it is connected to a router.',
    write: 'never',
    compute: connected,
    graphFilter: connectedSql,
    searchesOtherRows: true,
  })
  hasEdgeRouterConnection!: Computed<boolean>;

  @attribute(
    oneOf('EdgeRouterConnectionStatus', {
      online: 'A client of it is connected to a router.',
      offline: 'No client of it is connected to any router.',
      unknown: 'The router of its client was lost some minutes ago at most.',
    }),
    {
      description: 'The same in one word; `unknown` for some minutes after its router was lost.',
      write: 'never',
      compute: connectionStatus,
      graphFilter: connectionStatusSql,
      searchesOtherRows: true,
    },
  )
  edgeRouterConnectionStatus!: Computed<'unknown' | 'online' | 'offline'>;
}
