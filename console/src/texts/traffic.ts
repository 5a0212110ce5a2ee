const countOf = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString()} ${many}`;

const circuitCount = (count: number): string => countOf(count, 'circuit', 'circuits');

const STATES = {
  online: '',
  offline: ' (offline)',
  disabled: ' (disabled)',
  notEnrolled: ' (not enrolled)',
} as const;

/** Words of the page of routers and traffic. */
export const traffic = {
  refused: 'You have no permission to read links and circuits.',
  views: 'Views of the traffic',
  filters: 'Which traffic is shown',
  only: (kind: string, id: string) => `Only of this ${kind.toLowerCase()}: ${id}`,
  picture: 'Picture',
  describe: (routers: number, links: number) =>
    `Picture of ${countOf(routers, 'router', 'routers')} and ${countOf(links, 'link', 'links')}. The tables have the same content.`,
  labelOf: (name: string, state: keyof typeof STATES) => `${name}${STATES[state]}`,
  isPart: 'The picture has a part of the routers and links. The tables have all of them.',
  noRouters: 'There is no router.',
  kinds: {
    routerOnline: 'router, online',
    routerOffline: 'router, offline',
    routerDisabled: 'router, disabled or not enrolled',
    link: 'link',
    linkDown: 'link that is closed for traffic',
  },
  close: 'Close',
  state: 'State',
  since: 'Since',
  sent: 'Sent',
  received: 'Received',
  sum: 'Together',
  exactBytes: (count: number) => countOf(count, 'byte', 'bytes'),
  host: 'Host',
  circuitCount,
  way: 'Path',
  wayOf: (names: readonly string[]) => names.join(' › '),
  overLink: 'link',
  ended: 'This circuit has ended.',
  end: 'End this circuit',
  endTitle: 'End this circuit?',
  endQuestion: (identity: string, service: string) =>
    `The connection of ${identity} to ${service} breaks at once. The client may dial again.`,
  endNow: 'End it now',
  path: 'Path between two routers',
  pathHelp: 'Choose two routers to see the path that a new circuit would take now.',
  from: 'From',
  to: 'To',
  up: 'carries traffic',
  down: 'closed for traffic',
  latencies: 'Latencies',
  bothWays: (there: string, back: string) => (there === back ? there : `${there} / ${back}`),
  millis: (millis: number) => `${millis.toLocaleString()} ms`,
  notMeasured: 'not measured yet',
  edit: 'Change',
  editLink: (id: string) => `Change the link ${id}`,
  linkOf: (from: string, to: string) => `Link from ${from} to ${to}`,
  staticCostHelp: 'It is added to the latencies. Circuits take the cheapest path.',
  closeLink: 'Close it for traffic',
  linkQuestion: (count: number) =>
    `${circuitCount(count)} on this link. Circuits leave a link that is closed or becomes dearer than another path, and end where there is no other path. The setting lasts until the routers make the link anew.`,
  usage: 'Usage',
  usageByHour: 'Usage by hour',
  noUsage: 'No traffic was reported in this time.',
  by: 'By',
  period: 'Time',
  hours: (hours: number) => (hours < 48 ? `${hours} hours` : `${hours / 24} days`),
  mostInAnHour: (bytes: string) => `Bytes by hour, at most ${bytes} in an hour`,
  largestRows: (count: number) => `These are the ${count} largest ones.`,
  showCircuits: 'Its circuits',
  showWay: 'Its path in the picture',
} as const;
