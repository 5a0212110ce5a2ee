/** The types of events, with the namespaces under which older configurations know them. */
const OLD_NAMESPACES = {
  alert: [],
  apiSession: ['edge.apiSessions'],
  authentication: [],
  circuit: ['fabric.circuits'],
  cluster: [],
  connect: [],
  entityChange: [],
  entityCount: ['edge.entityCounts'],
  link: ['fabric.links'],
  metrics: [],
  router: ['fabric.routers'],
  sdk: [],
  service: ['service.events'],
  session: ['edge.sessions'],
  terminator: ['fabric.terminators'],
  usage: ['fabric.usage'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A trace has no name in subscriptions: clients ask for traces by a message of their own. */
export type EventType = keyof typeof OLD_NAMESPACES | 'trace';

export const EVENT_TYPES = Object.keys(OLD_NAMESPACES) as readonly (keyof typeof OLD_NAMESPACES)[];

/** The events that a name in a subscription stands for. */
export interface NamedType {
  readonly type: EventType;
  /** The member `namespace` of the delivered events. */
  readonly namespace: string;
}

/** Names of subscriptions that are neither a type nor an old namespace. */
const OTHER_NAMES: readonly (readonly [string, NamedType])[] = [
  ['edge.authentications', { type: 'authentication', namespace: 'authentication' }],
  ['services', { type: 'service', namespace: 'service.events' }],
];

/** `service.events` is a namespace alone: its old name in subscriptions is `services`. */
const NO_NAME = 'service.events';

const TYPES_BY_NAME: ReadonlyMap<string, NamedType> = new Map([
  ...EVENT_TYPES.flatMap((type) =>
    [type, ...OLD_NAMESPACES[type]]
      .filter((name) => name !== NO_NAME)
      .map((name) => [name, { type, namespace: name }] as const),
  ),
  ...OTHER_NAMES,
]);

/** The type that a subscription names, by its name of now or an old one. */
export const typeByName = (name: string): NamedType | undefined => TYPES_BY_NAME.get(name);
