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
  commentOn: (identity: string, service: string) => `Comment on ${identity} and ${service}`,
  commentOf: (comment: string, identity: string, service: string) =>
    `${comment}: comment on ${identity} and ${service}`,
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
  takesAway: (changes: number, lost: number, granted: number) =>
    changes === 0
      ? 'No change is needed: no revoked access is granted any more.'
      : `${changes} changes of policies take ${lost.toLocaleString()} pairs away; ${granted.toLocaleString()} revoked ones are granted now.`,
} as const;
