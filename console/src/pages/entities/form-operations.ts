import { description, type Kind } from '../../description/description.js';
import type { EntityResult } from '../../description/documents.js';
import { hasName, namedType, selectionOf } from '../../description/fields.js';
import { tellingMembers } from '../../description/kept-entities.js';
import type { Operation } from '../../graph/operation.js';

type Input = Readonly<Record<string, unknown>>;

/** The field of an entity that an input member has its value from: ids in place of entities. */
function fieldOf(type: string, member: string): string | undefined {
  const fields = description.types[type] ?? {};
  const field = fields[member];
  const display = `${member}Display`;
  if (display in fields) return `${member} ${selectionOf(type, display)}`;
  if (field && description.kinds[namedType(field.type)]) {
    return `${member}Id` in fields ? `${member}: ${member}Id` : undefined;
  }
  return field && !field.arguments && field.nodes === undefined
    ? selectionOf(type, member)
    : undefined;
}

/** Reads the members of an entity that its form edits. */
export function editedOperation(
  kind: Kind,
  input: string,
): Operation<EntityResult, { readonly id: string }> {
  const { type, one } = kind;
  const members = new Set([
    ...Object.keys(description.inputs[input] ?? {}),
    ...tellingMembers(kind),
  ]);
  const selections = [
    'id',
    'revision',
    ...(hasName(type) ? ['name'] : []),
    ...[...members]
      .filter((member) => member !== 'name')
      .flatMap((member) => fieldOf(type, member) ?? []),
  ];
  return {
    name: 'Edited',
    text: `query Edited($id: ID!) { entity: ${one}(id: $id) { ${selections.join(' ')} } }`,
  };
}

export interface SavedResult {
  readonly saved: { readonly id: string } | null;
}

export const createOperation = ({
  create = '',
  createInput = '',
}: Kind): Operation<SavedResult, { readonly input: Input }> => ({
  name: 'Create',
  text: `mutation Create($input: ${createInput}!) { saved: ${create}(input: $input) { id } }`,
});

export interface UpdateVariables {
  readonly id: string;
  readonly ifRevision: number;
  readonly input: Input;
}

export const updateOperation = ({
  update = '',
  updateInput = '',
}: Kind): Operation<SavedResult, UpdateVariables> => ({
  name: 'Update',
  text: `mutation Update($id: ID!, $ifRevision: Int, $input: ${updateInput}!) { saved: ${update}(id: $id, ifRevision: $ifRevision, input: $input) { id } }`,
});

export const deleteOperation = ({
  remove = '',
}: Kind): Operation<unknown, Omit<UpdateVariables, 'input'>> => ({
  name: 'Delete',
  text: `mutation Delete($id: ID!, $ifRevision: Int) { deleted: ${remove}(id: $id, ifRevision: $ifRevision) }`,
});

export interface RoleAttributesVariables {
  readonly id: string;
  readonly roleAttributes: readonly string[];
}

/** Adds role attributes to an entity or removes some: the others stay as they are at that moment. */
export const roleAttributesOperation = (
  { addRoleAttributes = '', removeRoleAttributes = '' }: Kind,
  verb: 'add' | 'remove',
): Operation<unknown, RoleAttributesVariables> => ({
  name: 'RoleAttributesChange',
  text: `mutation RoleAttributesChange($id: ID!, $roleAttributes: [String!]!) { changed: ${verb === 'add' ? addRoleAttributes : removeRoleAttributes}(id: $id, roleAttributes: $roleAttributes) { id } }`,
});
