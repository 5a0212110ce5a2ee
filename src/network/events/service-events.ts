import { CIRCUIT_FAILURES, type FabricFact, type RouteFailure } from '../fabric/index.js';
import type { NetworkEvent } from './network-event.js';

type Dial = Extract<FabricFact, { readonly kind: 'dialAnswered' }>;

/** What is counted, under its service and terminator. */
interface Counted {
  readonly type: string;
  readonly serviceId: string;
  /** Empty: no terminator is to blame. */
  readonly terminatorId: string;
}

interface Count extends Counted {
  count: number;
}

const VERSION = 2;
const MINUTE_SECONDS = 60;
const MINUTE_MILLIS = MINUTE_SECONDS * 1000;
/** A minute has no more different counts; what would be another one is dropped. */
const MAX_COUNTS = 100_000;

/**
 * The events `service`: how often dials of a service have succeeded or failed at each terminator, and
 * how often its health was checked, for each minute after its end.
 */
export class ServiceEvents {
  #counts = new Map<string, Count>();
  /** The beginning of the minute that is counted. */
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly publish: (event: NetworkEvent) => void,
    private readonly now: () => Date,
  ) {}

  /** Counts a fact about a service; others have no effect. */
  applyFact(fact: FabricFact): void {
    const counted = countedOf(fact);
    if (counted.length === 0) return;
    const now = this.now().getTime();
    if (now >= this.#startedAt + MINUTE_MILLIS) this.flush();
    if (this.#counts.size === 0) this.begin(now);
    for (const each of counted) this.add(each);
  }

  /** Publishes what is counted. */
  flush(): void {
    clearTimeout(this.#timer);
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    for (const { type, serviceId, terminatorId, count } of counts) {
      const members = {
        version: VERSION,
        event_type: type,
        terminator_id: terminatorId,
        service_id: serviceId,
        count,
        interval_start_utc: this.#startedAt / 1000,
        interval_length: MINUTE_SECONDS,
      };
      this.publish({ type: 'service', at: this.now(), members });
    }
  }

  private begin(now: number): void {
    this.#startedAt = Math.floor(now / MINUTE_MILLIS) * MINUTE_MILLIS;
    this.#timer = setTimeout(
      () => {
        this.flush();
      },
      this.#startedAt + MINUTE_MILLIS - now,
    ).unref();
  }

  private add(counted: Counted): void {
    const { type, serviceId, terminatorId } = counted;
    const key = `${type} ${serviceId} ${terminatorId}`;
    const earlier = this.#counts.get(key);
    if (earlier) earlier.count += 1;
    else if (this.#counts.size < MAX_COUNTS) this.#counts.set(key, { ...counted, count: 1 });
  }
}

const OTHER_ERROR = 'service.dial.error_other';

function countedOf(fact: FabricFact): Counted[] {
  switch (fact.kind) {
    case 'dialAnswered':
      return countedOfDial(fact);
    case 'circuitFailed':
      // The other failures are answers of routers.
      return CIRCUIT_FAILURES.includes(fact.failure)
        ? [{ type: OTHER_ERROR, serviceId: fact.serviceId, terminatorId: '' }]
        : [];
    case 'healthChecked': {
      const { serviceId, terminatorId, isHealthy } = fact;
      const type = `service.health_check.${isHealthy ? 'passed' : 'failed'}`;
      return [{ type, serviceId, terminatorId }];
    }
    default:
      return [];
  }
}

const FAILURES: Readonly<Record<RouteFailure, string>> = {
  generic: OTHER_ERROR,
  'no answer': 'service.dial.timeout',
  'invalid terminator': 'service.dial.terminator.invalid',
  'misconfigured terminator': 'service.dial.terminator.misconfigured',
  'dial timed out': 'service.dial.terminator.timeout',
  'connection refused': 'service.dial.terminator.connection_refused',
};

function countedOfDial({ serviceId, terminatorId, failure, isAtHost }: Dial): Counted[] {
  const ids = { serviceId, terminatorId };
  if (failure === undefined) return [{ type: 'service.dial.success', ...ids }];
  const reason = FAILURES[failure];
  const counted = [{ type: reason, ...ids, ...(failure === 'generic' && { terminatorId: '' }) }];
  // A router that does not answer has not failed at the host.
  const hasHostFailed = isAtHost && failure !== 'no answer';
  return hasHostFailed ? [...counted, { type: 'service.dial.fail', ...ids }] : counted;
}
