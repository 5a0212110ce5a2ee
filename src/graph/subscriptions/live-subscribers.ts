import type { Change, Store } from '../../kernel/store-port.js';
import { failure } from '../../kernel/errors.js';
import { permits, type Permission } from '../../kernel/permissions.js';
import type { CallerRequest, ContextFactory } from '../context-factory.js';
import type { Subscriber } from './subscriber.js';

interface Live {
  readonly subscriber: Subscriber;
  readonly request: CallerRequest;
  readonly permission: Permission;
}

/** A subscription lasts as long as its API session, and no longer than the permission. */
export class LiveSubscribers {
  readonly #live = new Set<Live>();

  constructor(
    private readonly contexts: ContextFactory,
    store: Pick<Store, 'onChange'>,
    private readonly onError: (error: unknown) => void,
  ) {
    store.onChange((changes) => {
      this.look(changes);
    });
  }

  /** Gives what ends the watch. */
  watch(live: Live): () => void {
    this.#live.add(live);
    return () => this.#live.delete(live);
  }

  /** Of one API session. */
  count(apiSessionId: string | undefined): number {
    let count = 0;
    for (const { subscriber } of this.#live) {
      if (subscriber.caller?.apiSessionId === apiSessionId) count += 1;
    }
    return count;
  }

  endAll(): void {
    for (const { subscriber } of this.#live) subscriber.end();
  }

  private look(changes: readonly Change[]): void {
    if (this.#live.size === 0) return;
    for (const live of this.#live) {
      if (changes.some((change) => concerns(live.subscriber, change))) {
        this.check(live).catch((error: unknown) => {
          // Whether it may go on is not known.
          live.subscriber.end(failure('UNAVAILABLE'));
          this.onError(error);
        });
      }
    }
  }

  private async check({ subscriber, request, permission }: Live): Promise<void> {
    const { caller } = await this.contexts.create(request);
    const isSame = caller?.apiSessionId === subscriber.caller?.apiSessionId;
    if (isSame && permits(caller, permission)) subscriber.caller = caller;
    else subscriber.end(failure('UNAUTHORIZED'));
  }
}

function concerns({ caller }: Subscriber, { resource, id }: Change): boolean {
  if (resource === 'ApiSession') return id === caller?.apiSessionId;
  if (resource === 'Identity') return id === caller?.identityId;
  // Rare, and may concern anybody.
  return resource === 'AuthPolicy' || resource === 'ExternalJwtSigner';
}
