/** Words of the page of findings. */
export const findings = {
  one: 'Finding',
  filters: 'Which findings',
  kinds: 'Kinds',
  allKinds: 'All kinds',
  withMuted: 'Also muted ones',
  entities: 'About',
  state: 'State',
  muted: 'muted',
  changes: (count: number) =>
    count === 1 ? '1 proposed change' : `${count.toLocaleString()} proposed changes`,
  more: (count: number) => `and ${count.toLocaleString()} more`,
  notAll: (read: number, all: number) =>
    `The list has the first ${read.toLocaleString()} of ${all.toLocaleString()} findings. Choose a severity or a kind to see the others.`,
  gone: 'The list has no such finding. It may be resolved, or muted.',
  proposed: 'What resolves it',
  noChanges: 'No single change certainly resolves it.',
  now: 'Now',
  then: 'Proposed',
  gained: 'gains',
  lost: 'loses',
  mute: 'Mute',
  muteHelp:
    'A muted finding is accepted: lists and counts leave it out for everybody. A reader of findings can show it, with your name and reason.',
  muteIt: 'Mute this finding',
  unmute: 'End the mute',
  reason: 'Reason',
  mutedBy: 'By',
  until: 'Until',
  untilHelp: 'Without a time the mute has no end.',
  noEnd: 'without an end',
} as const;
