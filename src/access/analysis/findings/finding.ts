import type { EntityKind, PolicyKind, Side } from '../../../kernel/policy/index.js';
import { compareBytes } from '../../../base/byte-order.js';
import {
  attribute,
  described,
  id,
  int,
  objects,
  oneOf,
  text,
  type ValueOf,
} from '../../../kernel/declare/attribute.js';
import type { WhatIfChange } from '../model/what-if-change.js';

/** Findings are listed in this order. */
export const FINDING_KIND = oneOf(
  'FindingKind',
  {
    ACCESS_RULE_VIOLATED: 'An access rule does not hold.',
    BREAK_GLASS_USED:
      'An identity has given itself access by an offer for emergencies, and nobody has reviewed it.',
    UNVERIFIED_AUTHORITY: 'A certificate authority is in use without being verified.',
    ADMIN_WITHOUT_SECOND_FACTOR: 'An administrator logs in without a second factor.',
    OVERBROAD_POLICY: 'A policy has `#all` on a side.',
    ACCESS_RULE_MATCHES_NOTHING: 'A side of the access rule matches no entity.',
    UNUSED_POSTURE_CHECK: 'No service policy requires the posture check.',
    IDENTITY_WITHOUT_ROUTER: 'An identity has services and no edge router.',
    SERVICE_NOBODY_DIALS: 'No identity may dial the service.',
    SERVICE_NOBODY_HOSTS: 'No identity may host the service.',
    POLICY_GRANTS_NOTHING: 'A side of the policy matches no entity.',
    ROLE_MATCHES_NOTHING: 'A role matches no entity.',
    DUPLICATE_POLICY:
      'Another policy grants exactly the same on the same posture checks, whatever entities there are. Of equal policies one stays without a finding: one of the controller, else the first by its id.',
    SHADOWED_POLICY:
      'Another policy grants all that this one grants, and more or on fewer posture checks, whatever entities there are. The other one is not shadowed itself.',
    POLICY_REDUNDANT_TODAY:
      'Another policy grants all that this one grants, with the present entities.',
    POLICY_COVERED_TODAY:
      'Several policies together grant all that this one grants, with the present entities.',
    NEAR_DUPLICATE_ATTRIBUTE: 'Two attributes differ by a letter or by case.',
    ACCESS_ENDS_SOON:
      'Within a week, role assignments of an identity, its own time or that of a service policy end, and with them access that nothing else grants.',
    ATTRIBUTE_USED_ONCE: 'Only one entity has the attribute, and no policy names it.',
  },
  'The kinds of probable mistakes.',
);

export type FindingKind = ValueOf<typeof FINDING_KIND>;

export const SEVERITY = oneOf(
  'Severity',
  {
    HIGH: 'Urgent: an identity may have access that it should not have.',
    MEDIUM: 'Important: something does not work, or grants more than it seems to.',
    LOW: 'Clean up when there is time.',
  },
  'The importance of a finding.',
);

export type Severity = ValueOf<typeof SEVERITY>;

type FindingEntityKind = EntityKind | PolicyKind | 'accessRule' | 'authority';

@described('An entity that a finding is about.')
export class FindingEntity {
  @attribute(text<FindingEntityKind>(), {
    description:
      'Kind of entity: `identity`, `accessRule`; `authority` is a certificate authority.',
  })
  readonly kind!: FindingEntityKind;

  @attribute(id(), { description: 'Its id.', restName: 'id' })
  readonly entityId!: string;
}

@described('A probable mistake in the network.')
export class Finding {
  @attribute(id(), {
    nullable: true,
    description:
      'Equal to `findingId` for a finding of the present. Null for other times and for simulations, so that caches of clients, which keep one object for each id, do not mix them with the present.',
    graphOnly: true,
  })
  readonly id!: string | null;

  @attribute(id(), {
    description:
      'Stable while the fact stays the same: across renames, on every controller, in the past and in simulations. `muteFinding` accepts it.',
    restName: 'id',
  })
  readonly findingId!: string;

  @attribute(FINDING_KIND, { description: 'The kind of finding.' })
  readonly kind!: FindingKind;

  @attribute(SEVERITY, { description: 'Its importance.' })
  readonly severity!: Severity;

  @attribute(text(), { description: 'The finding in one sentence.' })
  readonly text!: string;

  @attribute(objects(() => FindingEntity), {
    description: 'The entity it is about, then the others; at most 25.',
  })
  readonly entities!: readonly FindingEntity[];

  @attribute(int(), { description: 'Number of entities that take part.' })
  readonly entityCount!: number;

  @attribute(text<Side>(), {
    nullable: true,
    description: 'The side of the policy that it is about.',
  })
  readonly side!: Side | null;

  @attribute(text(), {
    nullable: true,
    description:
      'The role or attribute that it is about; of an access offer for emergencies the id of the request.',
  })
  readonly about!: string | null;

  @attribute(text(), {
    nullable: true,
    description: 'The attribute that was probably intended.',
  })
  readonly similarTo!: string | null;
}

export interface FoundEntity extends Pick<FindingEntity, 'kind'> {
  readonly id: string;
}

/** A finding before it has an id and names. A member that does not apply to its kind is absent. */
export interface FoundFinding
  extends
    Pick<Finding, 'kind' | 'severity' | 'text' | 'entityCount'>,
    Partial<Pick<Finding, 'side' | 'about' | 'similarTo'>> {
  readonly entities: readonly FoundEntity[];
  /** The kind of entity that holds both attributes, for a finding about two similar ones. */
  readonly attributesOf?: EntityKind;
  /** The changes that resolve it, empty where no change certainly does. */
  readonly changes: readonly WhatIfChange[];
}

/** Whether the controller owns the entity, so that clients can not change it. */
export type IsSystem = (kind: EntityKind | PolicyKind, id: string) => boolean;

/** A finding names, and changes, at most so many entities. */
export const MAX_ENTITIES = 25;

/**
 * A change of the attributes of an entity repeats all of them. Of an entity with more attributes, no
 * finding has one: each of a thousand findings would repeat a thousand attributes.
 */
export const MAX_ATTRIBUTES = 200;

/** Names for texts. */
export const NAMES: Readonly<Record<EntityKind | PolicyKind, string>> = {
  identity: 'identity',
  service: 'service',
  edgeRouter: 'edge router',
  postureCheck: 'posture check',
  servicePolicy: 'service policy',
  edgeRouterPolicy: 'edge router policy',
  serviceEdgeRouterPolicy: 'service edge router policy',
};

export const SIDE_NAMES: Readonly<Record<Side, string>> = {
  identities: 'identity roles',
  services: 'service roles',
  edgeRouters: 'edge router roles',
  postureChecks: 'posture check roles',
};

/** Gives the key that orders findings about the same entity. */
const keyOf = ({ kind, entities, side, about, similarTo, attributesOf }: FoundFinding): string =>
  JSON.stringify([kind, entities[0], side, about, similarTo, attributesOf]);

/** Orders by kind, then by the bytes of the first entity. */
export function compareFindings(a: FoundFinding, b: FoundFinding): number {
  const idOf = ({ entities }: FoundFinding): string => entities[0]?.id ?? '';
  return (
    FINDING_KIND.values.indexOf(a.kind) - FINDING_KIND.values.indexOf(b.kind) ||
    compareBytes(a.entities[0]?.kind ?? '', b.entities[0]?.kind ?? '') ||
    compareBytes(idOf(a), idOf(b)) ||
    compareBytes(keyOf(a), keyOf(b))
  );
}
