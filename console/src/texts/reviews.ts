/** Words of reviews of access. */
export const reviews = {
  start: 'New review of access',
  begin: 'Begin the review',
  fields: {
    name: { label: 'Name', description: '' },
    description: { label: 'Purpose', description: '' },
    identityFilter: {
      label: 'Identities',
      description: 'A condition in the filter language. Without one: all identities.',
    },
    serviceFilter: {
      label: 'Services',
      description: 'A condition in the filter language. Without one: all services.',
    },
    type: { label: 'Kind of access', description: 'Without one: both.' },
  },
  lines: 'Lines',
  identity: 'Identity',
  service: 'Service',
  type: 'Kind',
  policies: 'Granted by',
  lastUsed: 'Last used',
  decision: 'Decision',
  comment: 'Comment',
  addComment: 'add one',
  details: (identity: string, service: string) => `Details of ${identity} and ${service}`,
  commentOf: (comment: string, identity: string, service: string) =>
    `${comment}: comment on ${identity} and ${service}`,
  decided: 'Decided',
  decidedBy: (name: string) => `Decided by ${name},`,
  assignments: 'Assigned until',
  renew: 'renew',
  end: 'end',
  assignmentsOf: (text: string, identity: string, service: string) =>
    `${text}: role assignments of ${identity} for ${service}`,
  renewUntil: 'Renew the role assignments until',
  renewHelp:
    'Those with an end on which the access rests. Directories and signers decide on what they give.',
  endAssignments: 'End the role assignments now',
  endHelp:
    'Those on which the access rests. Access by other ways stays: “Find the changes” takes it away.',
  decisionOn: (identity: string, service: string) => `Decision on ${identity} and ${service}`,
  progress: (all: number, open: number) =>
    `${(all - open).toLocaleString()} of ${all.toLocaleString()} lines are decided.`,
  only: 'Only with this decision',
  all: 'All lines',
  rest: (decision: string) => `All others: ${decision.toLowerCase()}`,
  finish: 'Finish the review',
  export: { csv: 'Save as CSV', json: 'Save as JSON' },
  revocation: 'Taking revoked access away',
  findChanges: 'Find the changes',
  takesAway: (changes: number, lost: number, granted: number) => {
    if (changes === 0) return 'No change is needed: no revoked access is granted any more.';
    const policies =
      changes === 1
        ? 'One change of a policy takes'
        : `${changes.toLocaleString()} changes of policies take`;
    const pairs = lost === 1 ? 'one pair' : `${lost.toLocaleString()} pairs`;
    const revoked =
      granted === 1 ? 'One revoked pair is' : `${granted.toLocaleString()} revoked pairs are`;
    return `${policies} ${pairs} away. ${revoked} granted now.`;
  },
} as const;
