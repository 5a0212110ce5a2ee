interface PolicySelection {
  readonly count: number;
  /** The size of the class. */
  readonly of: number;
  readonly type: 'Dial' | 'Bind' | null;
  readonly isOfServices: boolean;
  /** What the policy selects on its other side. */
  readonly others: string;
  readonly isComplete: boolean;
}

interface ClassSelection {
  readonly count: number;
  readonly of: number;
  readonly side: string;
  readonly isComplete: boolean;
}

const INCOMPLETE = '(not each by each policy, which proves no access)';
const PURPOSES = { Dial: 'to dial', Bind: 'to host' } as const;

const partOf = (count: number, of: number): string =>
  count === of
    ? `all ${of.toLocaleString()}`
    : `${count.toLocaleString()} of ${of.toLocaleString()}`;

/** Words of the map. */
export const map = {
  refused: 'You have no permission to read the map.',
  empty: 'No identity and no service fits the conditions.',
  changed: 'The network has changed since this map was read.',
  readAgain: 'Read again',
  merged: (most: number) =>
    `The network has more classes and policies than ${most.toLocaleString()} nodes. Small ones are merged: classes by a role attribute that their members have in common, policies by a role attribute that they name or by what they join. The numbers stay exact. A line for a part of them only proves no access.`,
  moreNodes: (count: number) => `Show up to ${count.toLocaleString()} nodes`,
  controls: 'What the map shows',
  lens: 'Access',
  lenses: { all: 'All', Dial: 'Dial', Bind: 'Host' },
  identities: 'Filter of identities',
  services: 'Filter of services',
  maxNodes: 'Nodes at most',
  at: 'Time in the past',
  now: 'Now',
  time: 'Way through time',
  showTime: 'Slider through time',
  play: 'Play how access grew',
  pause: 'Pause',
  stepBack: 'A step back',
  stepForward: 'A step forward',
  stepOf: (step: number, all: number) =>
    `Step ${step.toLocaleString()} of ${all.toLocaleString()}, after the change of`,
  step: (operation: string, type: string, name: string | null, more: number) => {
    const first = `${operation} ${type}${name === null ? '' : ` “${name}”`}`;
    if (more === 0) return `${first}.`;
    return `${first}, and ${more === 1 ? '1 more' : `${more.toLocaleString()} more`} at once.`;
  },
  isNow: 'This is the present.',
  noSteps: 'The change log has no steps through which the map could go.',
  laterSteps:
    'The log has more changes than the slider has room for: it begins later than the log.',
  marks: {
    step: 'new with this step',
    gained: 'only with the draft',
    lost: 'no longer with the draft',
  },
  marked: {
    gained: (label: string) => `+ ${label}`,
    lost: (label: string) => `− ${label}`,
  },
  withDraft: (changes: number) =>
    changes === 1
      ? 'With the draft (1 change)'
      : `With the draft (${changes.toLocaleString()} changes)`,
  draftEffect: (gained: number, lost: number) => {
    if (gained + lost === 0) return 'The draft adds no connection to this map and takes none away.';
    return `Connections that are new with the draft: ${gained.toLocaleString()}. Connections that are no longer there: ${lost.toLocaleString()}.`;
  },
  answerWithoutDraft: 'The answer is about now, without the draft.',
  change: 'Draft',
  find: 'Find on the map',
  look: 'Colours',
  looks: { kinds: 'Kinds', posture: 'Posture checks', online: 'Online now' },
  levels: {
    posture: {
      fails: 'posture checks fail now',
      all: 'needs posture checks',
      some: 'some policies need posture checks',
      unchecked: 'needs no posture checks',
    },
    online: { all: 'all are online', some: 'some are online', none: 'none is online' },
  },
  online: (part: number, whole: number) =>
    `${part.toLocaleString()} of ${whole.toLocaleString()} online`,
  onlineSign: (part: number, whole: number) => `${part.toLocaleString()}/${whole.toLocaleString()}`,
  failing: (part: number, whole: number) =>
    `which fail for ${part.toLocaleString()} of ${whole.toLocaleString()} ${whole === 1 ? 'identity' : 'identities'} with a session`,
  failingSign: (part: number, whole: number) =>
    `${part.toLocaleString()}/${whole.toLocaleString()} fail`,
  postureSigns: { all: 'checks', some: 'some checks', unchecked: '' },
  posture: { fails: 'fails', passes: 'passes', notJudged: 'not judged' },
  withSign: (label: string, sign: string) => `${label} (${sign})`,
  withWords: (label: string, words: string) => (words === '' ? label : `${label} – ${words}`),
  layout: 'Order',
  layouts: { lanes: 'Lanes', force: 'Free' },
  views: 'Views of the map',
  picture: 'Picture',
  nodes: 'Classes and policies',
  edges: 'Connections',
  describe: (nodes: number, edges: number) =>
    `Picture of the network with ${nodes.toLocaleString()} nodes and ${edges.toLocaleString()} connections. The tables have the same content.`,
  keys: 'Arrow keys move the picture, + and - change its size, 0 shows all of it. Click a node to see what it is.',
  skipPicture: 'Skip the picture',
  noDrawing:
    'This browser can not draw the picture (WebGL is missing). The tables have the same content.',
  zoomIn: 'Larger',
  zoomOut: 'Smaller',
  fit: 'Show all of it',
  legend: 'Kinds of nodes',
  legendOf: (many: string, count: number, classes: number | undefined) =>
    classes === undefined
      ? `${many}: ${count.toLocaleString()}`
      : `${many}: ${count.toLocaleString()} in ${classes.toLocaleString()} ${classes === 1 ? 'class' : 'classes'}`,
  edgeKinds: { ...PURPOSES, routers: 'policies of routers', part: 'for a part of them only' },
  andMore: (name: string, more: number) => `${name} + ${more.toLocaleString()}`,
  withRole: (attribute: string, count: number) => `#${attribute} (${count.toLocaleString()})`,
  one: 'Node',
  name: 'Node',
  kind: 'Kind',
  count: 'Members',
  type: 'Access',
  mergedCount: 'Merged',
  roleAttribute: 'Role attribute',
  samples: 'Some of them',
  selects: 'Selects',
  connections: 'Number of connections',
  isSelected: (label: string) => `Selected: ${label}`,
  nothingSelected: 'Choose a node in the picture or in the tables to see its members.',
  close: 'Close',
  members: 'Members',
  joinedWith: 'Connections',
  joinedWithNothing: 'It is joined with nothing.',
  gone: 'This map has no such node. Its memberships have changed, or the conditions of the map are others.',
  isClass: 'All members are in exactly the same policies.',
  isMergedClass: (count: number) =>
    `${count.toLocaleString()} classes are merged here. Their members are not all in the same policies.`,
  isMergedPolicy: (count: number) => `${count.toLocaleString()} policies are merged here.`,
  isEmpty: 'A side selects nothing, so that it joins nothing.',
  emptySide: 'selects nothing',
  partOf,
  policySelects: ({ count, of, type, isOfServices, others, isComplete }: PolicySelection) => {
    const part = `selects ${partOf(count, of)}${isComplete ? '' : ` ${INCOMPLETE}`}`;
    if (others === '') return part;
    if (type === null) return `${part}, together with ${others}`;
    return isOfServices
      ? `${part}, for ${others} ${PURPOSES[type]}`
      : `${part}, ${PURPOSES[type]} ${others}`;
  },
  classSelected: ({ count, of, side, isComplete }: ClassSelection) =>
    `${partOf(count, of)} as ${side.toLowerCase()}${isComplete ? '' : ` ${INCOMPLETE}`}`,
  memberName: 'Name',
  paths: 'Paths',
  pathFrom: 'Paths from the identity',
  pathTo: 'Paths to the service',
  choose: 'Choose',
  chooseMember: (name: string) => `Choose ${name} as an end of paths`,
  endOfPaths: {
    identity: 'Show the paths from here',
    service: 'Show the paths to here',
  },
  chooseOther: {
    identity: 'Click a class of identities, or choose an identity above.',
    service: 'Click a class of services, or choose a service above.',
  },
  pair: 'Paths between both',
  closePaths: 'Show no paths',
  pathsBy: (count: number) =>
    count === 1 ? 'By 1 policy:' : `By ${count.toLocaleString()} policies:`,
  pathsOver: (count: number) =>
    count === 1
      ? 'Over 1 edge router that both may use:'
      : `Over ${count.toLocaleString()} edge routers that both may use:`,
  explain: 'Explain it in full',
  notOnMap: (name: string) => `“${name}” is not on this map.`,
  sideOf: (count: number, side: string) => `${count.toLocaleString()} ${side.toLowerCase()}`,
  policy: 'Policy',
  class: 'Class',
  side: 'Side',
  edgeCount: 'Selected',
  isComplete: 'Complete',
  export: 'Save',
  exports: {
    png: 'Picture (PNG)',
    svg: 'Picture (SVG)',
    nodes: 'Classes and policies (CSV)',
    edges: 'Connections (CSV)',
  },
} as const;
