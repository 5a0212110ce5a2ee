import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { isObject } from '../../base/row.js';
import { StartError } from '../../base/start-error.js';
import { EVENT_TYPES } from './event-types.js';
import type { Subscription } from './event-subscription.js';
import {
  fault,
  SUBSCRIPTION,
  subscriptionOf,
  subscriptionTo,
  text,
  type Refuse,
  type SubscriptionReading,
} from './subscription-options.js';

/** A file with events, and when to begin a new one. */
export interface EventFileSettings {
  readonly path: string;
  readonly maxBytes: number;
  /** The number of earlier files that stay; 0 means all. */
  readonly maxBackups: number;
}

/** A destination of events. */
export interface EventSinkSettings {
  readonly name: string;
  readonly subscriptions: readonly Subscription[];
  readonly target: 'stdout' | EventFileSettings;
  readonly lineEnd: string;
  /** The number of events that may wait for the target. */
  readonly bufferSize: number;
}

/** The text after each event by default. */
const LINE_END = '\n';
const BUFFER_SIZE = 10_000;
const MAX_BUFFERED = 1_000_000;
const BYTES_PER_MB = 1024 * 1024;
const MAX_MB = 100_000;
const MAX_BACKUPS = 100_000;

/** Every event to standard output. */
export const allToStdout: readonly EventSinkSettings[] = [
  {
    name: 'stdout',
    subscriptions: EVENT_TYPES.map((type) => subscriptionTo({ type, namespace: type })),
    target: 'stdout',
    lineEnd: LINE_END,
    bufferSize: BUFFER_SIZE,
  },
];

const wholeNumber = (most: number, least = 0) =>
  z
    .int({ error: fault('is not a whole number') })
    .min(least, `is less than ${String(least)}`)
    .max(most, `is more than ${String(most)}`);
const HANDLER = z.object(
  {
    type: text().refine((type) => type === 'file' || type === 'stdout', {
      error: ({ input }) => `"${String(input)}" is not available here`,
    }),
    format: text().refine((format) => format === 'json', { error: 'is not json' }),
    path: text().min(1, 'is empty').optional(),
    maxsizemb: wholeNumber(MAX_MB, 1).default(10),
    maxbackups: wholeNumber(MAX_BACKUPS).default(0),
    bufferSize: wholeNumber(MAX_BUFFERED).optional(),
    lineEnd: text().default(LINE_END),
  },
  { error: fault('is not an object') },
);

const SINK = z.object(
  {
    subscriptions: z.array(SUBSCRIPTION, { error: fault('is not a list') }),
    handler: HANDLER,
  },
  { error: fault('is not an object') },
);

const SECTION = z.record(z.string(), SINK, { error: 'is not an object' });

/** The correction of a fault, by the last member of its place that stands here. */
const CURES: Readonly<Record<string, string>> = {
  subscriptions: 'give a list of objects with a type',
  include: 'give a name or a list of names',
  propagateAlways: 'set it to true or false',
  interval: 'give a duration such as 5m',
  version: 'set it to 2 or 3',
  sourceFilter: 'give a regular expression for ids of routers',
  metricFilter: 'give a regular expression for names such as link.latency.p95',
  handler: 'give an object with type, format and path',
  format: 'set it to json',
  path: 'give the path of a file',
  maxsizemb: 'give the largest size of a file in MB',
  maxbackups: 'give the number of files to keep',
  bufferSize: 'give the number of events that may wait',
  lineEnd: 'give the text after each event',
};
const CURE = 'write it like the section "events" of the public controller';
const HANDLER_CURE = 'set it to file or stdout';

/**
 * Reads a file with the section `events` of the public controller, or a document with that section.
 * @throws StartError with the file, the place in it, the fault and the cure
 */
export function readEventSettings(
  path: string,
  /** Called with names of types that do not exist: subscriptions to them are ignored. */
  onUnknownType: (name: string) => void,
): readonly EventSinkSettings[] {
  const refuse: Refuse = (place, wrong) =>
    new StartError(
      `OVERGRAPH_EVENTS ${path}: ${[...place.map(String), ''].join('.').replace(/\.$/, ' ')}${wrong}`,
      cureOf(place),
    );
  const document = documentIn(path, refuse);
  const section = isObject(document) && 'events' in document ? document.events : document;
  const result = SECTION.safeParse(section);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw refuse(issue?.path ?? [], issue?.message ?? 'is wrong');
  }
  const sinks = Object.entries(result.data).map(([name, sink]) =>
    sinkOf(name, sink, { refuse, onUnknownType }),
  );
  refuseSharedFiles(sinks, refuse);
  return sinks;
}

function cureOf(place: readonly PropertyKey[]): string {
  const members = place.map(String);
  if (members.at(-1) === 'type' && members.at(-2) === 'handler') return HANDLER_CURE;
  const member = members.findLast((name) => name in CURES);
  return CURES[member ?? ''] ?? CURE;
}

function documentIn(path: string, refuse: Refuse): unknown {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch {
    throw new StartError(
      `OVERGRAPH_EVENTS ${path} can not be read`,
      'set it to stdout or the path of a YAML or JSON file',
    );
  }
  // JSON is YAML as well.
  const document = parseDocument(content, { prettyErrors: true });
  const [error] = document.errors;
  if (!error) return document.toJS() as unknown;
  const line = error.linePos?.[0].line;
  const [message = ''] = error.message.split(/ at line \d+|\n/);
  throw refuse(line === undefined ? [] : [`line ${String(line)}`], message);
}

function sinkOf(
  name: string,
  { subscriptions, handler }: z.infer<typeof SINK>,
  reading: SubscriptionReading,
): EventSinkSettings {
  return {
    name,
    subscriptions: subscriptions.flatMap((subscription, i) =>
      subscriptionOf([name, 'subscriptions', i], subscription, reading),
    ),
    target: targetOf(name, handler, reading.refuse),
    lineEnd: handler.lineEnd,
    bufferSize: Math.max(handler.bufferSize ?? 0, BUFFER_SIZE),
  };
}

function targetOf(
  name: string,
  { type, path, maxsizemb, maxbackups }: z.infer<typeof HANDLER>,
  refuse: Refuse,
): EventSinkSettings['target'] {
  if (type === 'stdout') return type;
  if (path === undefined) throw refuse([name, 'handler', 'path'], 'is missing');
  return { path: resolve(path), maxBytes: maxsizemb * BYTES_PER_MB, maxBackups: maxbackups };
}

/** Two sinks of one file would rename it below each other. */
function refuseSharedFiles(sinks: readonly EventSinkSettings[], refuse: Refuse): void {
  const paths = new Set<string>();
  for (const { name, target } of sinks) {
    if (target === 'stdout') continue;
    if (paths.has(target.path)) {
      throw refuse([name, 'handler', 'path'], 'is the file of another sink');
    }
    paths.add(target.path);
  }
}
