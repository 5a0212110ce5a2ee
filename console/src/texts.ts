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

const pairs = (count: number): string =>
  count === 1 ? '1 pair of an identity and a service' : `${count.toLocaleString()} pairs`;

/** All words of the console, in English. */
export const texts = {
  product: 'Overgraph',
  skip: 'Skip to the content',
  loading: 'Loading',
  none: '–',
  yes: 'yes',
  no: 'no',
  failure: {
    unreachable: 'The controller can not be reached. The page tries again.',
    requestId: (id: string) => `Request ${id}`,
    retry: (seconds: number) => `Try again in ${seconds} s.`,
    crash: 'The page has a fault. Load it again; what was saved is safe.',
  },
  login: {
    title: 'Log in',
    again: 'Your session has ended',
    againHelp: 'Log in again to go on. The page is as you left it, also what you were typing.',
    username: 'Name',
    password: 'Password',
    submit: 'Log in',
    certificate: 'Use a certificate of this browser',
    code: 'Code of your second factor',
    codeHelp: 'From your authenticator app, or one of your recovery codes.',
    prove: 'Go on',
    back: 'Log in as another',
    otherFactor:
      'Your auth policy asks for a factor that this page can not send: a token of an external signer.',
  },
  shell: {
    navigation: 'Pages',
    menu: 'Menu',
    logout: 'Log out',
    help: 'Help and keyboard',
    search: 'Search everything',
    scheme: 'Colours',
    schemes: { auto: 'System', light: 'Light', dark: 'Dark' },
    notFound: 'There is no such page.',
    home: 'Go to the overview',
  },
  pages: {
    overview: 'Overview',
    map: 'Map',
    changes: 'Changes',
    draft: 'Draft',
    account: 'Own account',
    ask: 'Ask',
    findings: 'Findings',
  },
  groups: {
    access: 'Access',
    network: 'Network',
    logins: 'Logins and keys',
    others: 'Others',
  },
  /** What changes would do to access. */
  effect: (gained: number, lost: number) => {
    if (gained === 0 && lost === 0) return 'No access changes.';
    const give = gained === 0 ? '' : `This gives access to ${pairs(gained)}.`;
    const take = lost === 0 ? '' : `This takes access away from ${pairs(lost)}.`;
    return `${give} ${take}`.trim();
  },
  select: {
    placeholder: 'Type a part of the name',
    nothing: 'Nothing has this name.',
    clear: (label: string) => `Clear: ${label}`,
  },
  ask: {
    help: 'Choose an identity to see what it reaches, or a service to see who reaches it. Choose both to see why.',
    fromIdentity: 'Ask what it reaches',
    fromService: 'Ask who reaches it',
    type: 'Access',
    allTypes: 'Both',
    at: 'At a time of the past',
    now: 'Ask about now',
    afterChange: (id: string) => `Just after the change ${id}.`,
    pastAt: 'This was the answer at',
    pastLimits:
      'Posture checks, offline routers, disabled identities and missing hosts of the past are not known.',
    answer: 'Answer',
    verdict: { may: 'may', mayNot: 'may not', can: ', and can now', canNot: ', but can not now' },
    verbs: { Dial: 'dial', Bind: 'host' },
    policies: 'Policies that grant it',
    noPolicies: 'No service policy grants it.',
    policy: 'Policy',
    identityBy: 'Identity by',
    serviceBy: 'Service by',
    notJudged: 'Not judged: the identity has no session.',
    passes: 'passes',
    fails: 'fails',
    inSession: 'in the session',
    found: 'Found',
    wanted: 'Wanted',
    noEnd: 'no end',
    routers: 'Edge routers',
    noRouters: 'Neither side has an edge router.',
    commonRouters: (count: number) =>
      count === 1 ? '1 that both may use' : `${count.toLocaleString()} that both may use`,
    moreRouters: (count: number) => `and ${count.toLocaleString()} more`,
    state: 'State',
    forBoth: 'For both',
    forIdentity: 'The identity by',
    forService: 'The service by',
    misses: 'Nearest policies that do not grant it',
    noMisses: 'There is no other policy of this kind.',
    ofPolicies: (shown: number, all: number) =>
      `${shown.toLocaleString()} of ${all.toLocaleString()}`,
    additions: (count: number) =>
      count === 1 ? '1 addition is missing' : `${count.toLocaleString()} additions are missing`,
    isSelected: 'The policy selects it already.',
    isNotSelected: 'The policy does not select it.',
    lacks: (attributes: string) => `It lacks ${attributes}.`,
    giveAttributes: (name: string, attributes: string) => `Give “${name}” ${attributes}.`,
    addRole: (role: string) => `Add ${role} to the roles of the policy.`,
    oneSuffices: 'One of these suffices:',
    otherRemedies: (count: number) =>
      count === 1 ? 'There is 1 other way.' : `There are ${count.toLocaleString()} other ways.`,
    use: 'Use',
    lastUse: 'Last use',
    neverUsed: 'No use is recorded.',
    recordedSince: 'Uses are recorded since',
    circuits: 'Circuits now',
    whoReaches: 'Who reaches this service',
    whatItReaches: 'What this identity reaches',
    question: 'Question',
    why: 'Why',
    since: 'Since when',
    readLog: 'Look through the change log',
    noEvents: 'No change of the log has given or taken this access so far.',
    beganGranted: 'Policies granted it already when the log began:',
    beganWithout: 'The identity or the service did not exist when the log began.',
    beganNotGranted: 'No policy granted it when the log began:',
    effect: 'Effect',
    gained: 'given',
    lost: 'taken away',
    byChange: 'By the change',
    askThen: 'Ask about then',
  },
  findings: {
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
      `The list has the first ${read.toLocaleString()} of ${all.toLocaleString()} findings. Choose a kind to see the others.`,
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
  },
  table: {
    empty: 'Nothing here.',
    total: (count: number) => (count === 1 ? '1 entry' : `${count.toLocaleString()} entries`),
  },
  list: {
    filter: 'Filter',
    filterExample: 'name contains "sea" and isAdmin = false',
    apply: 'Filter',
    all: 'Show all',
    columns: 'Columns',
    firstColumns: 'Back to the first columns',
    create: 'New',
  },
  entity: {
    attributes: 'Attributes',
    history: 'History',
    gone: 'It does not exist, or no longer.',
    edit: 'Edit',
    remove: 'Delete',
  },
  form: {
    create: (kind: string) => `New ${kind.toLowerCase()}`,
    edit: (name: string) => `Edit ${name}`,
    save: 'Save',
    cancel: 'Cancel',
    draft: 'Add to the draft',
    deleteTitle: (name: string) => `Delete ${name}?`,
    remove: 'Delete now',
    faults: { required: 'It is needed.', json: 'This is not JSON.' },
  },
  draft: {
    empty:
      'The draft is empty. Add changes to it from the form of an entity, from its deletion, or from the history.',
    applied: (count: number) =>
      count === 1 ? 'The change is made.' : `All ${count} changes are made.`,
    apply: (count: number) => (count === 1 ? 'Make this change' : `Make these ${count} changes`),
    reason: 'Reason',
    reasonHelp: 'It stands in the change log. Violating an access rule needs one.',
    baseMoved:
      'An entity was changed meanwhile. Look at it, and add its change to the draft again.',
    copyLink: 'Copy a link to this draft',
    clear: 'Empty the draft',
    remove: 'Remove',
    removeChange: (name: string) => `Remove the change of ${name}`,
    violates: (rule: string, identity: string, service: string) =>
      `The access rule “${rule}” refuses this: ${identity} and ${service}.`,
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
  },
  reviews: {
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
  },
  account: {
    isAdmin: 'may administer everything.',
    mayDo: (permissions: readonly string[]) =>
      permissions.length === 0
        ? 'may administer nothing.'
        : `has these permissions: ${permissions.join(', ')}.`,
    password: 'Password',
    current: 'Present password',
    next: 'New password',
    again: 'New password again',
    differs: 'It is not the same.',
    change: 'Change the password',
    changed: 'The password is changed.',
    secondFactor: 'Second factor',
    isOff: 'Log in by password alone. An authenticator app adds a second factor.',
    isOn: 'A second factor is needed to log in. Type a present code to remove it.',
    turnOn: 'Set up a second factor',
    turnOff: 'Remove the second factor',
    scan: 'Scan this with your authenticator app, or type its address there.',
    image: 'Address of the second factor as a QR code',
    recovery: 'Keep these recovery codes. Each works once in place of a code of the app.',
    prove: 'Confirm',
    proveHelp: 'The factor counts from the first right code on.',
    code: 'Code',
    sessions: 'Where you are logged in',
    from: 'From',
    since: 'Since',
    active: 'Last active',
    end: 'End',
    thisOne: 'this one',
  },
  changes: {
    one: 'Change',
    at: 'When',
    actor: 'Who',
    controller: 'the controller',
    operation: 'What',
    type: 'Kind',
    entity: 'Entity',
    reason: 'Reason',
    address: 'From',
    requestId: 'Request',
    field: 'Member',
    before: 'Before',
    after: 'After',
    undo: 'Undo as a draft',
  },
  map: {
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
  },
  search: {
    title: (text: string) => `Search for “${text}”`,
    help: 'Type a part of a name, an id, a role attribute, a tag or an external id.',
    name: 'Name',
    type: 'Kind',
    match: 'Found by',
  },
  overview: {
    all: 'Show all',
    asTable: 'As a table',
    count: 'Number',
    counts: 'Entities',
    controllers: 'Controllers',
    ends: 'Ends',
    expiring: 'Ends soon or ended lately',
    failedLogins: 'Refused logins of 24 hours',
    findings: 'Findings',
    hour: 'Hour',
    kind: 'Kind',
    lag: 'Lag',
    last: 'Last',
    mostInAnHour: (count: number) => `Logins by hour, at most ${count} in an hour`,
    name: 'Name',
    noFailedLogins: 'No login was refused.',
    nothing: 'You have no permission to read any kind of entity.',
    nothingExpires: 'No certificate and no invitation ends within 30 days.',
    of: 'Of',
    offlineRouters: 'Offline:',
    owner: 'Whose',
    processes: 'Processes',
    refusal: 'Why',
    refused: 'Refused logins',
    routers: 'Edge routers',
    routerStates: {
      online: 'online',
      offline: 'offline',
      disabled: 'disabled',
      notEnrolled: 'not enrolled',
    },
    seconds: (seconds: string) => `${seconds} s`,
    sender: 'From',
    sessions: 'Sessions for services',
    sessionsByHour: 'Logins by hour',
    apiSessions: 'Logins',
    several: 'several',
    severities: { high: 'high', medium: 'medium', low: 'low' },
    state: 'State',
    version: 'Release',
    what: 'What',
  },
  help: {
    title: 'Keyboard',
    lead: 'Press the keys one after the other. They do nothing while you type into a field.',
    general: 'Everywhere',
    goTo: 'Go to',
    thisHelp: 'Show this help',
    search: 'Search',
    scheme: 'Change between light and dark',
    escape: 'Close a dialog, leave a field',
  },
} as const;
