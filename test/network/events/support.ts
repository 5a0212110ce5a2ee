import type { LineTarget } from '../../../src/data/changes/index.js';
import type { Subscription } from '../../../src/network/events/event-subscription.js';
import { subscriptionTo } from '../../../src/network/events/subscription-options.js';
import { typeByName } from '../../../src/network/events/event-types.js';
import type { EventSinkSettings } from '../../../src/network/events/event-settings.js';
import { Events } from '../../../src/network/events/events.js';
import type { LoggedChange } from '../../../src/kernel/request/store-port.js';

export const AT = new Date('2026-01-02T03:04:05.678Z');

/** A change of the log, as the feed delivers it. */
export const changeOf = (members: Partial<LoggedChange>): LoggedChange => ({
  resource: 'Service',
  id: 'entity',
  operation: 'create',
  revision: 1,
  before: null,
  after: null,
  at: AT,
  actorId: null,
  apiSessionId: null,
  address: null,
  requestId: null,
  importId: null,
  cursor: 'place',
  actor: null,
  size: 0,
  ...members,
});

/** A subscription by one of the names of a type. */
export function subscription(name: string, options: Partial<Subscription> = {}): Subscription {
  const named = typeByName(name);
  if (!named) throw new Error(`no type is called ${name}`);
  return { ...subscriptionTo(named), ...options };
}

const sinkSettings = (...subscriptions: Subscription[]): EventSinkSettings => ({
  name: 'sink',
  subscriptions,
  target: 'stdout',
  lineEnd: '\n',
  bufferSize: 10_000,
});

/** Events with one sink, whose lines are in `written` after a stop. */
export function eventsTo(...subscriptions: Subscription[]): {
  readonly events: Events;
  readonly written: () => Promise<Record<string, unknown>[]>;
} {
  let text = '';
  const target: LineTarget = {
    write: (lines) => {
      text += lines;
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
  const ignore = (): void => undefined;
  const events = new Events({
    settings: [sinkSettings(...subscriptions)],
    controllerId: 'ctrl',
    onDropped: ignore,
    onFault: ignore,
    open: () => target,
  });
  const written = async (): Promise<Record<string, unknown>[]> => {
    await events.stop();
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { events, written };
}
