import { isShown, isStored, type Attribute } from './attribute.js';
import type { Catalog } from './catalog.js';
import type { Resource } from './resource.js';

/** The part of an entity that a search compares with its text. */
export type MatchedBy = 'ID' | 'NAME' | 'EXTERNAL_ID' | 'ROLE_ATTRIBUTE' | 'TAG';

export const MATCH_MEANINGS: Readonly<Record<MatchedBy, string>> = {
  ID: 'Its id.',
  NAME: 'Its name.',
  EXTERNAL_ID: 'An id or address that it has outside of the network.',
  ROLE_ATTRIBUTE: 'One of its role attributes, or a role in a list of a policy or an access rule.',
  TAG: 'The name of a tag, or its value if that is a text.',
};

export interface SearchedAttribute {
  readonly name: string;
  readonly by: MatchedBy;
}

/** The attributes by which searches find entities of a resource. They follow from their types. */
export const searchedAttributes = ({ attributes }: Resource): SearchedAttribute[] =>
  [...attributes.values()].flatMap((attribute) => {
    const by = matchOf(attribute);
    return by ? [{ name: attribute.name, by }] : [];
  });

/**
 * The resources that searches find: those that clients write, whose entities have a name or an
 * external id, and whose changes are logged.
 */
export const searchedResources = (catalog: Catalog): Resource[] =>
  catalog.stored().filter((resource) => isWritten(resource) && isNamed(resource));

const isWritten = ({ verbs, options }: Resource): boolean =>
  verbs.size > 0 && options.unlogged !== true && options.isRecord !== true;

const isNamed = (resource: Resource): boolean =>
  searchedAttributes(resource).some(({ by }) => by === 'NAME' || by === 'EXTERNAL_ID');

function matchOf(attribute: Attribute): MatchedBy | undefined {
  const { name, type } = attribute;
  if (!isReadable(attribute)) return undefined;
  if (attribute.isExternalId) return 'EXTERNAL_ID';
  if (name === 'id') return 'ID';
  if (name === 'name') return 'NAME';
  if (type.kind === 'map' && type.values === 'tag') return 'TAG';
  const isRoles = type.kind === 'roles' || (type.kind === 'set' && type.of === 'attribute');
  return isRoles ? 'ROLE_ATTRIBUTE' : undefined;
}

/** Whether every reader of the entity sees the attribute, and the change log has its changes. */
const isReadable = (attribute: Attribute): boolean =>
  isStored(attribute) &&
  isShown(attribute) &&
  attribute.secret === undefined &&
  attribute.unlogged !== true;
