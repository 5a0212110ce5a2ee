/** Words of the own access, and of decisions about requests. */
export const myAccess = {
  views: {
    services: 'Services',
    offers: 'Ask for access',
    requests: 'My requests',
    decisions: 'Waiting for my decision',
  },
  service: 'Service',
  dial: 'Connect until',
  bind: 'Host until',
  noEnd: 'no end',
  servicesHelp:
    'What you reach now. Each access ends at its time when nobody does anything. Posture checks may refuse it before.',
  offersHelp: 'What you may ask for, for a time.',
  requestsHelp:
    'What you have asked for. You may take a request back, and end a grant before its time.',
  decisionsHelp: 'Requests of others on which you may decide, the oldest first.',
  offer: 'Offer',
  description: 'For',
  longest: 'Longest',
  approval: 'Approval',
  secondFactor: 'Second factor',
  ask: 'Ask',
  askFor: (offer: string) => `Ask for ${offer}`,
  send: 'Send the request',
  reason: 'Reason',
  minutes: 'Minutes',
  minutesHelp: (most: number) => `From 1 to ${most.toLocaleString()}.`,
  inMinutes: (minutes: number) =>
    minutes === 1 ? '1 minute' : `${minutes.toLocaleString()} minutes`,
  asked: 'Asked',
  state: 'State',
  until: 'Until',
  comment: 'Comment',
  action: 'Action',
  cancel: 'Take back',
  cancelOf: (offer: string) => `Take back: ${offer}`,
  revoke: 'End now',
  revokeOf: (offer: string) => `End now: ${offer}`,
  identity: 'Identity',
  decide: 'Decide',
  decideOn: (identity: string, offer: string) => `Decide on ${identity} and ${offer}`,
  request: (identity: string, minutes: string, reason: string) =>
    `${identity} asks for ${minutes}: ${reason}`,
  gains: (count: number) =>
    count === 1
      ? 'The grant gives access to 1 service:'
      : `The grant gives access to ${count.toLocaleString()} services:`,
  gainsNothing: 'The grant gives no access that the identity does not have already.',
  more: (count: number) => `And ${count.toLocaleString()} more.`,
  refuses: (rule: string, service: string, type: string) =>
    `The access rule “${rule}” refuses the grant: ${service} (${type}).`,
  type: 'Kind',
  approve: 'Approve',
  deny: 'Deny',
  waiting: (count: number) =>
    count === 1 ? '1 request waits for you' : `${count.toLocaleString()} requests wait for you`,
  link: 'What you reach, and what you may ask for',
} as const;
