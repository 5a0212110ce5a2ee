import type { SubscriptionContext } from './subscriber.js';

interface Started<A> {
  readonly args: A;
  readonly context: SubscriptionContext;
}

type Events<E> = AsyncIterable<E> | Promise<AsyncIterable<E>>;

/** The `subscribe` option of a subscription whose events a function with its arguments follows. */
export const subscription =
  <A, E>(
    follow: (args: A, ctx: SubscriptionContext) => Events<E>,
  ): ((started: Started<A>) => Events<E>) =>
  ({ args, context }) =>
    follow(args, context);
