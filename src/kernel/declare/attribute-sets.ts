import { upperFirst } from '../../base/names.js';
import { inputNameOf, isWritable, type Attribute } from './attribute.js';
import type { Resource } from './resource.js';

/** How the entries of a set change, whatever else is in the set. */
export const ENTRY_VERBS = ['add', 'remove'] as const;
export type EntryVerb = (typeof ENTRY_VERBS)[number];

/** The sets of role attributes of a resource, to which callers add entries and from which they remove some. */
export const attributeSetsOf = ({ attributes, verbs }: Resource): Attribute[] =>
  verbs.has('update')
    ? [...attributes.values()].filter((a) => isAttributeSet(a) && isWritable(a, 'update'))
    : [];

const isAttributeSet = ({ type }: Attribute): boolean =>
  type.kind === 'set' && type.of === 'attribute';

/** The mutation that changes the entries: `addIdentityRoleAttributes`. */
export const entriesMutation = (verb: EntryVerb, { name }: Resource, set: Attribute): string =>
  `${verb}${name}${upperFirst(inputNameOf(set))}`;
