import type { Change, Store } from '../../kernel/request/store-port.js';
import { failure } from '../../base/errors.js';
import { concernedBy } from '../../kernel/declare/decisions.js';
import { unauthorized } from '../../kernel/declare/permissions.js';
import type { ContextFactory } from '../context-factory.js';
import type { CallerRequest } from '../request-sessions.js';
import type { Subscriber } from './subscriber.js';

export interface LiveSubscription {
  readonly subscriber: Subscriber;
  readonly request: CallerRequest;
}

/** Ends subscriptions whose API session has ended or whose caller has lost a permission. */
export class LiveSubscribers {
  readonly #live = new Set<LiveSubscription>();
  /** The numbers of subscriptions by API session, and by identity. */
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly contexts: ContextFactory,
    store: Pick<Store, 'onChange'>,
    private readonly onError: (error: unknown) => void,
  ) {
    store.onChange((changes) => {
      this.checkAffected(changes);
    });
  }

  /** Watches a subscription; gives a function that ends the watch. */
  watch(live: LiveSubscription): () => void {
    const { caller } = live.subscriber;
    const keys = caller ? [caller.apiSessionId, caller.identityId] : [];
    this.#live.add(live);
    for (const key of keys) this.add(key, 1);
    return () => {
      if (!this.#live.delete(live)) return;
      for (const key of keys) this.add(key, -1);
    };
  }

  /** Counts the subscriptions of an API session or an identity. */
  count(id: string): number {
    return this.#counts.get(id) ?? 0;
  }

  endAll(): void {
    for (const { subscriber } of this.#live) subscriber.end();
  }

  private add(id: string, change: 1 | -1): void {
    const count = this.count(id) + change;
    if (count > 0) this.#counts.set(id, count);
    else this.#counts.delete(id);
  }

  private checkAffected(changes: readonly Change[]): void {
    if (this.#live.size === 0) return;
    const concerns = concernedBy(this.contexts.catalog, changes);
    if (!concerns) return;
    for (const live of this.#live) {
      const { caller } = live.subscriber;
      if (caller && concerns(caller)) {
        const check = this.check(live).catch((error: unknown) => {
          // Without the check it is unknown whether the subscription may continue.
          live.subscriber.end(failure('UNAVAILABLE'));
          this.onError(error);
        });
        live.subscriber.holdDuring(check);
      }
    }
  }

  private async check({ subscriber, request }: LiveSubscription): Promise<void> {
    const { caller } = await this.contexts.create(request);
    if (!subscriber.continueFor(caller)) subscriber.end(unauthorized(caller));
  }
}
