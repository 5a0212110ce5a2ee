import type { Caller } from '../../kernel/request/context.js';
import type { ApiError } from '../../base/errors.js';
import type { PermissionListenerContext } from '../../kernel/graph/needs.js';
import { permits, SESSION, type Permission } from '../../kernel/declare/permissions.js';

/** One subscription under way, as its source sees it. */
export class Subscriber {
  readonly #onEnd: ((error: ApiError | undefined) => void)[] = [];
  readonly #needs: Permission[] = [];
  #ended: { readonly error: ApiError | undefined } | undefined;

  constructor(
    /** Who it is for, by now. */
    public caller: Caller | undefined,
    /** The client takes nothing: tells it why, if it ever looks again, and lets go of it. */
    readonly cutOff: (error: ApiError) => void,
  ) {}

  /** Whether an operation runs, and may: a document can skip all that it asks. */
  get hasBegun(): boolean {
    return this.#needs.length > 0;
  }

  /** What an operation that runs asks of the caller, from now on for as long as it lasts. */
  needs(permission: Permission): void {
    this.#needs.push(permission);
  }

  /** Goes on for the caller as it is by now, unless that may no longer do what it began. */
  goOnFor(caller: Caller | undefined): boolean {
    const isSame = caller?.apiSessionId === this.caller?.apiSessionId;
    if (!isSame || ![SESSION, ...this.#needs].every((need) => permits(caller, need))) return false;
    this.caller = caller;
    return true;
  }

  /** What the source does when it has to end. */
  onEnd(listener: (error: ApiError | undefined) => void): void {
    this.#onEnd.push(listener);
    if (this.#ended) listener(this.#ended.error);
  }

  end(error?: ApiError): void {
    this.#ended ??= { error };
    for (const listener of this.#onEnd) listener(error);
  }
}

/** What subscriptions work with, beside what every request does. */
export interface SubscriptionContext extends PermissionListenerContext {
  readonly subscriber: Subscriber;
}
