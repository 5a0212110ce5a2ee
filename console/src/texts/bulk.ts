/** Words for what is done to many entities at once. */
export const bulk = {
  selected: 'Selected',
  select: (name: string) => `Select ${name}`,
  count: (count: number) => (count === 1 ? '1 selected' : `${count.toLocaleString()} selected`),
  all: 'Select all',
  none: 'Select none',
  notAll: (read: number, all: number) =>
    `The first ${read.toLocaleString()} of ${all.toLocaleString()} are selected: a draft is made with at most ${read.toLocaleString()} changes.`,
  edit: 'Change',
  remove: 'Delete',
  editTitle: (count: number) =>
    count === 1 ? 'Change 1 entity' : `Change ${String(count)} entities`,
  removeTitle: (count: number) =>
    count === 1 ? 'Delete 1 entity?' : `Delete ${String(count)} entities?`,
  removeHelp:
    'The draft shows which access would end. Nothing is deleted before you make its changes.',
  addRoles: 'Add role attributes',
  removeRoles: 'Remove role attributes',
  tagName: 'Set the tag',
  tagValue: 'to the value',
  removeTags: 'Remove tags',
  draft: 'Add to the draft',
  nothing:
    'Nothing changes: the entities are so already, or no longer there, or the draft deletes them.',
  tooMany: (count: number, most: number) =>
    `The draft would have ${count.toLocaleString()} changes. It is made with at most ${most.toLocaleString()}: make or remove some of them first, or select less.`,
} as const;
