/** Words about what can be done with an entity beside changing and deleting it. */
export const actions = {
  copy: 'Copy',
  copied: 'Copied.',
  notCopied: 'The browser refuses to copy.',
  done: 'Close',
  disable: {
    text: 'Disable',
    question: 'It can not log in until it is enabled again, and its sessions end now.',
    now: 'Disable now',
  },
  enable: {
    text: 'Enable',
    question: 'It can log in again.',
    now: 'Enable now',
  },
  endSessions: {
    text: 'End its sessions',
    question:
      'All its API sessions end now, and none of its tokens counts any more. It can log in again.',
    now: 'End them now',
  },
  issueToken: {
    text: 'Issue a token',
    question:
      'The identity provider or the device management sends the token with each request. Several count at once.',
    label: 'Where it is used',
    now: 'Issue it',
    result: 'The token is shown this once. Store it where it is used.',
  },
  deleteWithUsers: {
    text: 'Delete with its users',
    question:
      'The directory is deleted with its tokens, users and groups. Identities stay, without the role attributes of the directory.',
    label: 'Delete the identities of its users, too',
    now: 'Delete it now',
  },
  endGrant: {
    text: 'End the grant',
    question: 'The role attribute is taken away, and the sessions that depend on it end.',
    label: 'Comment',
    now: 'End it now',
  },
  review: {
    text: 'Mark as reviewed',
    question: 'The use of the offer for emergencies is reviewed, which resolves its finding.',
    label: 'Comment',
    now: 'It is reviewed',
  },
} as const;
