import {
  attribute,
  attributes,
  attributeSet,
  int,
  reference,
} from '../../kernel/declare/attribute.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { present } from '../../kernel/declare/rows.js';
import { checkAttributes, checkPosture, documentedTypeIds } from '../../trust/posture/index.js';
import { NamedEntity } from '../entity.js';
import { roleFilterArguments } from '../policies/role-filter.js';

const NO_FIELDS = Object.fromEntries(checkAttributes.map(({ name }) => [name, undefined]));

/** Checks and normalises the members of the given type; those of other types are dropped. */
function validate({ verb, values, input, current }: Write<'PostureCheck'>): void {
  const fields = checkPosture(
    input.typeId ?? current.typeId,
    input,
    verb === 'update' ? 'patch' : verb === 'replace' ? 'replace' : 'create',
    // With the attributes that `checkAttributes` declares.
    verb === 'create' ? undefined : present(current, 'typeId'),
  );
  Object.assign(values, NO_FIELDS, fields);
  values.typeId ??= current.typeId;
  values.version = (current.version ?? 0) + 1;
}

/** `OS, MAC or MFA` */
const oneOfTypes = [documentedTypeIds.slice(0, -1).join(', '), ...documentedTypeIds.slice(-1)].join(
  ' or ',
);

@resource({
  description: 'A condition on the device of an identity.',
  plural: 'PostureChecks',
  path: 'posture-checks',
  permission: 'posture-check',
  decides: { posture: true },
  rest: { forbidsDeletion: true },
  counted: true,
  listArguments: roleFilterArguments('postureCheck'),
  hooks: { validate },
  isDrafted: true,
})
@attributes(checkAttributes)
export class PostureCheck extends NamedEntity {
  @attribute(reference('PostureCheckType', { as: 'type', onDelete: 'restrict', onRest: false }), {
    description: `Kind of check: ${oneOfTypes}; fixed at creation.`,
    required: 'create',
    filter: true,
  })
  typeId!: string;

  @attribute(int(), {
    description: 'Counts the changes, from 1.',
    write: 'never',
    isStamp: true,
    column: { default: 1 },
  })
  version!: number;

  @attribute(attributeSet(), { description: 'What policies select it by.', filter: true })
  roleAttributes!: string[];
}
