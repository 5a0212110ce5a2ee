import {
  terminators,
  type Precedence,
  type StoredTerminator,
  type TerminatorCount,
} from '../../data/rows/terminator/index.js';
import { isChangeOf, type Change, type Rows } from '../../kernel/request/store-port.js';
import { dynamicCostsOf } from '../fabric/index.js';
import type { NetworkEvent } from './network-event.js';

export interface TerminatorEventsOptions {
  readonly store: Rows;
  readonly isOnline: (routerId: string) => boolean;
  readonly now: () => Date;
  readonly publish: (event: NetworkEvent) => void;
  readonly onError: (error: unknown) => void;
}

/** A change of a terminator or of its router. */
interface Occurrence {
  readonly kind: 'created' | 'updated' | 'deleted' | 'router-online' | 'router-offline';
  readonly at: Date;
  readonly terminator: Omit<StoredTerminator, 'precedence'> & { readonly precedence: string };
}

interface RouterChange {
  readonly routerId: string;
  readonly isOnline: boolean;
  readonly at: Date;
}

type Waiting = Occurrence | RouterChange;

const KINDS = { create: 'created', update: 'updated', delete: 'deleted' } as const;
/** Beyond so many, events are left out: the database does not answer. */
const MAX_WAITING = 10_000;

/**
 * Makes the events of terminators. They count the terminators of the service, so that they come a
 * moment later, from one statement for all that wait.
 */
export class TerminatorEvents {
  #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;

  constructor(private readonly options: TerminatorEventsOptions) {}

  /** Terminators were changed. */
  applyChanges(changes: readonly Change[]): void {
    this.add(changes.flatMap(occurrenceOf));
  }

  /** A router came online or went offline, with its terminators. */
  routerChanged(change: RouterChange): void {
    this.add([change]);
  }

  /** Resolves when no event waits. */
  async stop(): Promise<void> {
    await this.#working;
  }

  private add(waiting: readonly Waiting[]): void {
    const free = Math.max(0, MAX_WAITING - this.#waiting.length);
    this.#waiting.push(...waiting.slice(0, free));
    if (this.#waiting.length > 0) this.#working ??= this.work();
  }

  private async work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      await this.publishAll(waiting).catch(this.options.onError);
    }
    this.#working = undefined;
  }

  private async publishAll(waiting: readonly Waiting[]): Promise<void> {
    const { store, isOnline, now, publish } = this.options;
    const occurrences: Occurrence[] = [];
    for (const each of waiting) {
      if ('terminator' in each) occurrences.push(each);
      else occurrences.push(...(await this.occurrencesAt(each)));
    }
    const serviceIds = occurrences.map(({ terminator }) => terminator.serviceId);
    const counts = new Map<string, TerminatorCount[]>();
    for (const count of await terminators.countsOf(store, serviceIds)) {
      counts.set(count.serviceId, [...(counts.get(count.serviceId) ?? []), count]);
    }
    const ids = occurrences.map(({ terminator }) => terminator.id);
    const costs = await dynamicCostsOf(store, ids, now());
    occurrences.forEach((occurrence, i) => {
      const numbers = {
        counts: counts.get(occurrence.terminator.serviceId) ?? [],
        dynamicCost: costs[i] ?? 0,
      };
      publish(terminatorEvent(occurrence, numbers, isOnline));
    });
  }

  private async occurrencesAt({ routerId, isOnline, at }: RouterChange): Promise<Occurrence[]> {
    const kind = isOnline ? 'router-online' : 'router-offline';
    const atRouter = await terminators.at(this.options.store, routerId);
    return atRouter.map((terminator) => ({ kind, at, terminator }));
  }
}

function occurrenceOf(change: Change): Occurrence[] {
  if (!isChangeOf('Terminator', change)) return [];
  const { id, at, operation, before, after } = change;
  const state = after ?? before ?? {};
  const terminator = {
    id,
    serviceId: state.serviceId ?? '',
    routerId: state.routerId ?? '',
    hostId: state.hostId ?? '',
    identity: state.identity ?? '',
    precedence: state.precedence ?? 'default',
    cost: state.cost ?? 0,
  };
  return [{ kind: KINDS[operation], at, terminator }];
}

/** The event `terminator`. */
function terminatorEvent(
  { kind, at, terminator }: Occurrence,
  {
    counts,
    dynamicCost,
  }: { readonly counts: readonly TerminatorCount[]; readonly dynamicCost: number },
  isReported: (routerId: string) => boolean,
): NetworkEvent {
  const isOfRouter = kind === 'router-online' || kind === 'router-offline';
  // Reports of routers may arrive later than the change of this one.
  const isOnline = (routerId: string): boolean =>
    isOfRouter && routerId === terminator.routerId
      ? kind === 'router-online'
      : isReported(routerId);
  const sumOf = (wanted: readonly TerminatorCount[]): number =>
    wanted.reduce((sum, { count }) => sum + count, 0);
  const usable = (precedence: Precedence): number =>
    sumOf(counts.filter((each) => each.precedence === precedence && isOnline(each.routerId)));
  const members = {
    event_type: kind,
    service_id: terminator.serviceId,
    terminator_id: terminator.id,
    router_id: terminator.routerId,
    host_id: terminator.hostId,
    instance_id: terminator.identity,
    router_online: isOnline(terminator.routerId),
    precedence: terminator.precedence,
    static_cost: terminator.cost,
    dynamic_cost: dynamicCost,
    total_terminators: sumOf(counts),
    usable_default_terminators: usable('default'),
    usable_required_terminators: usable('required'),
  };
  return { type: 'terminator', at, kind, members, ...(isOfRouter ? {} : { isShared: true }) };
}
