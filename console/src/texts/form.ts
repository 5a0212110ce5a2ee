/** Words of forms that are made from a schema. */
export const form = {
  asJson: 'As JSON',
  add: 'Add',
  addTo: (label: string) => `Add: ${label}`,
  takeOutShort: 'Remove',
  takeOut: (label: string) => `Remove: ${label}`,
  entry: (label: string, number: number) => `${label} ${String(number)}`,
  otherMembers: 'Other members',
  notEditable: 'The controller keeps it. No form can change it.',
  /** The kind of the other entity follows. */
  kept: (members: string) =>
    `The form does not have ${members}: the controller takes them from its`,
  /** Members that stand together. */
  sections: {
    conditions: 'JWTs that count',
    claimedAttributes: 'Role attributes from claims',
    firstLogins: 'Identities made at the first login',
    firstLoginsHelp:
      'Many providers let anybody register: set conditions on claims that the user can not choose.',
    needsExternalId: 'The first login creates identities only with “Use external id”.',
    adminClaims: 'Rights by claims',
    adminClaimsHelp:
      'Name only claims that the user can not choose, such as groups that administrators of the provider assign.',
    needsTrust: 'These rules count only with “Trusted for management”.',
  },
  leave: {
    title: 'Leave without saving?',
    help: 'What you typed is lost then.',
    stay: 'Stay',
    leave: 'Leave',
  },
  faults: {
    required: 'It is needed.',
    json: 'This is not JSON.',
    unknownName: (name: string, kinds: string) =>
      `There is no “${name}” among the ${kinds.toLowerCase()}.`,
    type: 'The schema asks for a value of another type.',
    integer: 'It is a number without a fraction.',
    range: (minimum: number, maximum: number) => {
      if (maximum === Infinity) return `It is at least ${String(minimum)}.`;
      if (minimum === -Infinity) return `It is at most ${String(maximum)}.`;
      return `It is between ${String(minimum)} and ${String(maximum)}.`;
    },
    least: (count: number) =>
      count === 1 ? 'It has at least one entry.' : `It has at least ${String(count)} entries.`,
  },
} as const;
