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
  /** Why entities can not be deleted. */
  leftOut: {
    keeper: (count: number, keeper: string) =>
      count === 1
        ? `The controller deletes one of them with its ${keeper} alone.`
        : `The controller deletes ${count.toLocaleString()} of them with their ${keeper}s alone.`,
    system: (count: number) =>
      count === 1
        ? 'One of them belongs to the controller, which keeps it.'
        : `${count.toLocaleString()} of them belong to the controller, which keeps them.`,
    firstAdmin: () => 'The first administrator can not be deleted.',
  },
  others: (count: number) => {
    if (count === 0) return 'Nothing else is selected.';
    return count === 1
      ? 'Add the other one to the draft?'
      : `Add the other ${count.toLocaleString()} to the draft?`;
  },
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
