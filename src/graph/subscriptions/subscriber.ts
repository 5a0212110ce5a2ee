import type { Caller } from '../../kernel/request/context.js';
import type { ApiError } from '../../base/errors.js';
import type { PermissionListenerContext } from '../../kernel/graph/needs.js';
import { permits, SESSION, type Permission } from '../../kernel/declare/permissions.js';

/** One running subscription, as its source sees it. */
export class Subscriber {
  readonly #onEnd: ((error: ApiError | undefined) => void)[] = [];
  readonly #needs: Permission[] = [];
  #ended: { readonly error: ApiError | undefined } | undefined;
  #checking: Promise<void> = Promise.resolve();

  constructor(
    /** The present caller of the subscription. */
    public caller: Caller | undefined,
    /** Disconnects a client that does not read; it gets the error if it reads again. */
    readonly cutOff: (error: ApiError) => void,
  ) {}

  /** Whether an operation runs with permission: a document can skip all its fields. */
  get hasBegun(): boolean {
    return this.#needs.length > 0;
  }

  /** Adds a permission that the running operation needs as long as it lasts. */
  needs(permission: Permission): void {
    this.#needs.push(permission);
  }

  /** Continues for the present state of the caller, if it still has the permissions; else gives false. */
  continueFor(caller: Caller | undefined): boolean {
    const isSame = caller?.apiSessionId === this.caller?.apiSessionId;
    if (!isSame || ![SESSION, ...this.#needs].every((need) => permits(caller, need))) return false;
    this.caller = caller;
    return true;
  }

  /** Holds results back until the permissions of the caller are checked again. */
  holdDuring(check: Promise<void>): void {
    this.#checking = Promise.all([this.#checking, check]).then(() => undefined);
  }

  /**
   * Resolves when no check of the caller runs.
   * @throws ApiError that has ended the subscription
   */
  async checked(): Promise<void> {
    await this.#checking;
    if (this.#ended?.error) throw this.#ended.error;
  }

  /** Adds a listener for the end of the subscription. */
  onEnd(listener: (error: ApiError | undefined) => void): void {
    this.#onEnd.push(listener);
    if (this.#ended) listener(this.#ended.error);
  }

  /** Gives the follower, which ends with the subscription. */
  ending<F extends { end(error?: ApiError): void }>(follower: F): F {
    this.onEnd((error) => {
      follower.end(error);
    });
    return follower;
  }

  end(error?: ApiError): void {
    this.#ended ??= { error };
    for (const listener of this.#onEnd) listener(error);
  }
}

/** The context of a subscription: that of a request, and the subscriber. */
export interface SubscriptionContext extends PermissionListenerContext {
  readonly subscriber: Subscriber;
}
