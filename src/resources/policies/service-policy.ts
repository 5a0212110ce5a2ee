import { WeeklyWindow } from '../../access/times/index.js';
import {
  attribute,
  bool,
  objects,
  roles,
  text,
  time,
  type ValueOf,
} from '../../kernel/declare/attribute.js';
import { ACCESS_TYPE, resource, SEMANTIC } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { NamedEntity } from '../entity.js';
import { rolesDisplay, semanticOptions, type NamedRole } from './policy-parts.js';
import { servicePolicyHooks } from './service-policy-hooks.js';

/** The published bodies lack the times, and a client that writes those back must not drop them. */
const TIMES = {
  keptByReplace: true,
  graphOnly: true,
} as const;

@resource({
  description:
    'Lets identities dial or bind services, under posture checks and, if it has times, only while it is in force.',
  plural: 'ServicePolicies',
  path: 'service-policies',
  permission: 'service-policy',
  counted: true,
  decides: { reach: ['type', 'semantic', 'identityRoles', 'serviceRoles', 'isInForce'] },
  rest: { conflicts: ['delete'] },
  links: ['services', 'identities', 'posture-checks'],
  hooks: servicePolicyHooks,
  storage: {
    indexes: [
      {
        name: 'service_policy_due_idx',
        on: ['nextChangeAt'],
        where: '"next_change_at" is not null',
      },
    ],
  },
  isDrafted: true,
})
export class ServicePolicy extends NamedEntity {
  @attribute(SEMANTIC, semanticOptions)
  semantic!: ValueOf<typeof SEMANTIC>;

  @attribute(ACCESS_TYPE, {
    description: 'The kind of access that the policy grants.',
    required: true,
    filter: true,
    storedNumbers: { Dial: 1, Bind: 2 },
  })
  type!: ValueOf<typeof ACCESS_TYPE>;

  @attribute(roles('Identity'), { description: 'The identities that get access.', filter: true })
  identityRoles!: string[];

  @rolesDisplay('identityRoles', 'identity')
  identityRolesDisplay!: Computed<NamedRole[]>;

  @attribute(roles('Service'), { description: 'The services that they may access.', filter: true })
  serviceRoles!: string[];

  @rolesDisplay('serviceRoles', 'service')
  serviceRolesDisplay!: Computed<NamedRole[]>;

  @attribute(roles('PostureCheck'), {
    description: 'The posture checks that must pass.',
    filter: true,
  })
  postureCheckRoles!: string[];

  @rolesDisplay('postureCheckRoles', 'posture_check')
  postureCheckRolesDisplay!: Computed<NamedRole[]>;

  @attribute(time(), {
    description: 'When it begins to be in force; null: at once.',
    ...TIMES,
    nullable: true,
    graphFilter: true,
  })
  validFrom!: Date | null;

  @attribute(time(), {
    description: 'When it is no longer in force, after `validFrom`; null: never.',
    ...TIMES,
    nullable: true,
    graphFilter: true,
  })
  validUntil!: Date | null;

  @attribute(objects(() => WeeklyWindow), {
    description:
      'The hours of the week in which it is in force, by the clocks of `timeZone`, such as `{days: [MONDAY], from: "08:00", to: "18:00"}`; empty: all hours. At most 20.',
    ...TIMES,
    default: [],
  })
  weeklyWindows!: WeeklyWindow[];

  @attribute(text(), {
    description: 'The IANA time zone of `weeklyWindows`, such as `Europe/Zurich`.',
    ...TIMES,
    nullable: true,
  })
  timeZone!: string | null;

  @attribute(bool(), {
    description:
      'Whether it is in force. A policy that is not grants nothing. The clock of the database decides.',
    ...TIMES,
    write: 'never',
    isStamp: true,
    column: { default: true },
    graphFilter: true,
  })
  isInForce!: boolean;

  @attribute(time(), {
    description: 'When it begins or ends by itself; null: not any more.',
    ...TIMES,
    write: 'never',
    isStamp: true,
    nullable: true,
    graphFilter: true,
  })
  nextChangeAt!: Date | null;
}
