interface Rule {
  readonly name: string;
  readonly kind: string;
  readonly type: string;
}

/** Words of the draft. */
export const draft = {
  count: (count: number) => (count === 1 ? '1 change' : `${count.toLocaleString()} changes`),
  empty:
    'The draft is empty. Add changes to it from the form of an entity, from its deletion, from the history, or from an import file.',
  applied: (count: number) =>
    count === 1 ? 'The change is made.' : `All ${count} changes are made.`,
  apply: (count: number) => (count === 1 ? 'Make this change' : `Make these ${count} changes`),
  reason: 'Reason',
  reasonHelp: 'It stands in the change log.',
  baseMoved: 'An entity was changed meanwhile. Nothing is made. The page marks its change.',
  moved: (count: number) =>
    count === 1
      ? 'One change begins from a state that its entity no longer has.'
      : `${count.toLocaleString()} changes begin from states that their entities no longer have.`,
  states: {
    moved: 'Somebody has changed it since this change was added.',
    gone: 'Somebody has deleted it since this change was added.',
    hidden: 'You may not read it. The page can not tell whether it was changed.',
  },
  now: 'Now',
  proposed: 'In the draft',
  meanwhile: 'What changed meanwhile',
  takeOver: 'Take over onto the present state',
  link: {
    copy: 'Copy a link to this draft',
    copied: 'The link is copied.',
    unreadable:
      'The link could not be read. It may have been cut. The draft of this tab is as it was.',
    partly: (unreadable: number, total: number) =>
      `${unreadable.toLocaleString()} of the ${total.toLocaleString()} changes of the link could not be read. The draft has the others.`,
    tooLong: 'The draft is too large for a link.',
    tooLongForFile:
      'The draft is too large for a link. Download it as an import file, and send the file.',
  },
  mayNotMake: (names: string) =>
    `You may not make the changes of ${names}. Remove them, or send the draft to somebody who may.`,
  mayNotSimulate: (names: string) =>
    `You may not read ${names}. So the page can not show what the draft would do.`,
  mayNotReadAccess:
    'You may not read all that decides access. So the page can not show what the draft would do.',
  clear: 'Empty the draft',
  remove: 'Remove',
  removeChange: (name: string) => `Remove the change of ${name}`,
  violates: (rule: Rule, identity: string, service: string) => {
    const must = rule.kind === 'MUST_REACH' ? 'must be able to' : 'must never';
    return `The access rule “${rule.name}” refuses this: “${identity}” ${must} ${rule.type.toLowerCase()} “${service}”.`;
  },
  gained: 'Access that begins',
  lost: 'Access that ends',
  noPairs: 'None.',
  more: (count: number) => `${count.toLocaleString()} more.`,
  identity: 'Identity',
  service: 'Service',
  type: 'Kind',
  findings: 'Findings',
  appear: (appeared: number, vanished: number) =>
    `${appeared.toLocaleString()} appear, ${vanished.toLocaleString()} vanish.`,
  sessionsEnd: (count: number) =>
    count === 1 ? 'One session ends.' : `${count.toLocaleString()} sessions end.`,
  file: {
    open: 'Open an import file',
    download: 'Download as an import file',
    tooLarge: 'The file has more than 64 MiB.',
    reading: (name: string) => `Reading ${name}.`,
    comparing: (name: string) => `The controller compares ${name} with the network.`,
    stop: 'Stop',
    stopped: 'The file is not read to its end.',
    tooMuch: (name: string) =>
      `The browser has not enough memory to read ${name} as YAML. It reads JSON of this size.`,
    unreadable: (name: string, reason: string, line?: number, column?: number) => {
      const place = line === undefined ? '' : ` in line ${String(line)}, column ${String(column)}`;
      return `${name} is neither JSON nor YAML${place}: ${reason}`;
    },
    empty: (name: string) => `${name} is empty.`,
    tooMany: (count: number, most: number) =>
      `The file makes ${count.toLocaleString()} changes. A draft has at most ${most.toLocaleString()}. Import the file as a whole by the command line.`,
    added: (name: string, count: number) =>
      count === 1
        ? `${name} makes one change.`
        : `${name} makes ${count.toLocaleString()} changes.`,
    same: (name: string) => `The network is already as ${name} says.`,
    faults: (name: string, count: number) =>
      `${name} has ${count === 1 ? 'a fault' : `${count.toLocaleString()} faults`}. The draft gets nothing of it.`,
    notInDraft: 'The draft does not hold all of the file:',
    notInFile: 'An import file can not hold all of the draft:',
    nothing: 'An import file can hold nothing of the draft.',
    more: (count: number) => `and ${count.toLocaleString()} more`,
  },
} as const;
