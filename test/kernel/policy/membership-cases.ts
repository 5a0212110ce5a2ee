import type { Semantic } from '../../../src/kernel/policy/roles.js';

/** Truth table of membership. The entity is `e1` with the attributes `blue` and `red` unless given. */
export interface MembershipCase {
  readonly it: string;
  readonly roles: readonly string[];
  readonly semantic: Semantic;
  readonly attributes?: readonly string[];
  /** An identity that waits for its approval has its attributes only afterwards. */
  readonly isPending?: true;
  readonly member: boolean;
}

const pendingCase = (
  it: string,
  roles: readonly string[],
  semantic: Semantic,
  member: boolean,
): MembershipCase => ({
  it: `of a pending identity, ${it}`,
  roles,
  semantic,
  isPending: true,
  member,
});

const PENDING_CASES = [
  pendingCase('#all does not match', ['#all'], 'AnyOf', false),
  pendingCase('the listed id does not match', ['@e1'], 'AnyOf', false),
  pendingCase('an attribute does not match', ['#blue'], 'AnyOf', false),
  pendingCase('all of its attributes do not match', ['#blue', '#red'], 'AllOf', false),
  pendingCase('#pending matches', ['#pending'], 'AnyOf', true),
  pendingCase('#pending alone matches under AllOf', ['#pending'], 'AllOf', true),
  pendingCase('AnyOf takes #pending', ['#blue', '#pending'], 'AnyOf', true),
  pendingCase('AllOf needs more than #pending', ['#blue', '#pending'], 'AllOf', false),
  pendingCase('#pending matches under AllOf beside an id', ['#pending', '@e1'], 'AllOf', true),
];

export const MEMBERSHIP_CASES: readonly MembershipCase[] = [
  ...PENDING_CASES,
  { it: 'an empty list matches nobody', roles: [], semantic: 'AnyOf', member: false },
  {
    it: 'an empty list matches nobody under AllOf either',
    roles: [],
    semantic: 'AllOf',
    member: false,
  },
  { it: '#all matches everybody', roles: ['#all'], semantic: 'AllOf', member: true },
  {
    it: '#all matches an entity without attributes',
    roles: ['#all'],
    semantic: 'AnyOf',
    attributes: [],
    member: true,
  },
  { it: 'the listed id matches', roles: ['@e1'], semantic: 'AllOf', member: true },
  { it: 'another id does not match', roles: ['@e2'], semantic: 'AnyOf', member: false },
  { it: 'ids differ by case', roles: ['@E1'], semantic: 'AnyOf', member: false },
  {
    it: 'AnyOf takes one of two attributes',
    roles: ['#blue', '#zebra'],
    semantic: 'AnyOf',
    member: true,
  },
  {
    it: 'AnyOf takes none of two attributes',
    roles: ['#quail', '#zebra'],
    semantic: 'AnyOf',
    member: false,
  },
  {
    it: 'AllOf wants both attributes',
    roles: ['#blue', '#zebra'],
    semantic: 'AllOf',
    member: false,
  },
  { it: 'AllOf takes both attributes', roles: ['#blue', '#red'], semantic: 'AllOf', member: true },
  { it: 'AllOf takes one attribute', roles: ['#blue'], semantic: 'AllOf', member: true },
  {
    it: 'AllOf takes an id besides attributes that are not held',
    roles: ['#quail', '#zebra', '@e1'],
    semantic: 'AllOf',
    member: true,
  },
  {
    it: 'AllOf takes attributes besides another id',
    roles: ['#blue', '#red', '@e2'],
    semantic: 'AllOf',
    member: true,
  },
  {
    it: 'AllOf of ids alone matches nobody else',
    roles: ['@e2', '@e3'],
    semantic: 'AllOf',
    member: false,
  },
  {
    it: 'AnyOf takes an attribute besides another id',
    roles: ['#blue', '@e2'],
    semantic: 'AnyOf',
    member: true,
  },
  { it: 'attributes differ by case', roles: ['#Blue'], semantic: 'AnyOf', member: false },
  {
    it: 'attributes are not matched by their beginning',
    roles: ['#blu'],
    semantic: 'AnyOf',
    member: false,
  },
  { it: 'attributes are texts, not patterns', roles: ['#b%'], semantic: 'AnyOf', member: false },
  {
    it: 'an attribute may have spaces, quotes and commas',
    roles: ['#a, "b" {c} \\ \'d\''],
    semantic: 'AllOf',
    attributes: ['a, "b" {c} \\ \'d\''],
    member: true,
  },
  {
    it: 'an attribute called like an id is not that id',
    roles: ['@blue'],
    semantic: 'AnyOf',
    member: false,
  },
  {
    it: 'an id called like an attribute is not that attribute',
    roles: ['#e1'],
    semantic: 'AnyOf',
    member: false,
  },
  {
    it: 'the attribute all is like any other',
    roles: ['#blue'],
    semantic: 'AnyOf',
    attributes: ['all'],
    member: false,
  },
  {
    it: 'an attribute may look like a role',
    roles: ['##odd'],
    semantic: 'AnyOf',
    attributes: ['odd'],
    member: false,
  },
];
