import type { AccessRule, NewNames } from '../../../access/analysis/index.js';
import { attribute, described, id, text } from '../../../kernel/declare/attribute.js';
import { ACCESS_TYPE } from '../../../kernel/declare/resource.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { RULE_KIND } from '../../../resources/policies/access-rule.js';

@described('An access rule that does not hold.')
export class RuleViolation {
  @attribute(id(), { description: 'Id of the rule.' })
  readonly ruleId!: string;

  @attribute(text(), { description: 'Name of the rule.', graphOnly: true })
  readonly ruleName!: string;

  @attribute(RULE_KIND, {
    description: 'Whether the rule requires access or forbids it.',
    graphOnly: true,
  })
  readonly ruleKind!: AccessRule['kind'];

  @attribute(id(), { description: 'Id of the identity of the first pair.' })
  readonly identityId!: string;

  @attribute(id(), { description: 'Id of the service of the first pair.' })
  readonly serviceId!: string;

  @attribute(ACCESS_TYPE, { description: 'Dialing or hosting.' })
  readonly type!: ServicePolicyType;

  /** Names of entities that exist only in the simulation. */
  readonly newName?: NewNames;
}
