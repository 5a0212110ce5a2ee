import type { Remedy as FoundRemedy } from '../../../access/analysis/index.js';
import type { JsonObject } from '../../../base/row.js';
import {
  attribute,
  described,
  int,
  object,
  oneOf,
  text,
  textSet,
} from '../../../kernel/declare/attribute.js';
import { objectOf, STRING, type Schema } from '../../../kernel/declare/rest-schema.js';
import { RestObject } from '../../../kernel/graph/rest-member.js';
import { ProposedChange } from './what-if-types.js';

const REMEDY_KIND = oneOf<FoundRemedy['kind']>(
  'RemedyKind',
  {
    ADD_ATTRIBUTE: 'The identity or the service gets attributes that the policy selects.',
    ADD_ROLE: 'The policy names the identity or the service by its id.',
  },
  'The way in which an entity gets into a side of a policy.',
);

/** REST shows the effect beside the change, and names the entity that changes. */
@RestObject({ view: remedyBody, schema: remedySchema })
@described('A change that puts an entity in a side of a policy.')
export class Remedy {
  @attribute(REMEDY_KIND, { description: 'The kind of addition.' })
  readonly kind!: FoundRemedy['kind'];

  @attribute(textSet(), {
    nullable: true,
    description: 'For ADD_ATTRIBUTE: the attributes.',
    omitEmpty: true,
  })
  readonly attributes!: readonly string[] | null;

  @attribute(text(), {
    nullable: true,
    description: 'For ADD_ROLE: the side of the policy, `identities` or `services`.',
    omitEmpty: true,
  })
  readonly side!: string | null;

  @attribute(text(), { nullable: true, description: 'For ADD_ROLE: the role.', omitEmpty: true })
  readonly role!: string | null;

  @attribute(int(), { description: 'Number of added attributes or roles.' })
  readonly size!: number;

  @attribute(object(() => ProposedChange), { description: 'The change with its effect on access.' })
  readonly change!: ProposedChange;
}

interface RemedyMembers extends JsonObject {
  readonly kind: FoundRemedy['kind'];
  readonly size: number;
  readonly change: JsonObject;
}

function remedyBody({ kind, size, change, ...addition }: RemedyMembers): JsonObject {
  const { gained, lost, ...edit } = change;
  const { type: entity, id } = edit;
  const entityOf = { ADD_ATTRIBUTE: { entity, id }, ADD_ROLE: { policyId: id } };
  return { kind, ...entityOf[kind], ...addition, size, change: edit, gained, lost };
}

function remedySchema(members: Schema): Schema {
  const { kind, size, change, ...addition } = members.properties as Record<string, Schema>;
  const { gained, lost, ...edit } = change?.properties as Record<string, Schema>;
  const always = { kind, size, change: objectOf(edit), gained, lost } as Record<string, Schema>;
  const sometimes = { entity: STRING, id: STRING, policyId: STRING, ...addition };
  return objectOf({ ...always, ...sometimes }, Object.keys(always));
}
