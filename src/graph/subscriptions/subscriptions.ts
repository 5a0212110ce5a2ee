import {
  createSourceEventStream,
  execute,
  getOperationAST,
  OperationTypeNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { Holdings, type Caller, type RequestContext } from '../../kernel/request/context.js';
import { ApiError, failure } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { permit, permits, SESSION, type Permission } from '../../kernel/declare/permissions.js';
import { contextWith } from '../../kernel/read/reader.js';
import type { Store } from '../../kernel/request/store-port.js';
import { limitOf } from '../../requests/limits/index.js';
import type { Admission, Admitted, GraphQuery } from '../documents/admission.js';
import type { ContextFactory } from '../context-factory.js';
import type { CallerRequest } from '../request-sessions.js';
import { DocumentFault } from '../documents/document-fault.js';
import { withCodes, type OnUnexpected } from '../result.js';
import { LiveSubscribers, type LiveSubscription } from './live-subscribers.js';
import { results, type Results } from './results.js';
import { Subscriber, type SubscriptionContext } from './subscriber.js';
import { atExpiry, expired } from './token-expiry.js';

export interface SubscriptionDependencies {
  readonly schema: GraphQLSchema;
  readonly contexts: ContextFactory;
  readonly admission: Admission;
  readonly store: Store;
  readonly onUnexpected: OnUnexpected;
}

/** A connection that counts like a subscription. */
export interface LastingConnection {
  /**
   * Resolves when no check of its caller runs.
   * @throws ApiError that has ended the connection
   */
  readonly checked: () => Promise<void>;
  /** The connection has ended. */
  readonly leave: () => void;
}

/** The limits of simultaneous subscriptions for an API session and for an identity. */
const MAX_OF_A_SESSION = 100;
const MAX_OF_AN_IDENTITY = 500;

/** Runs subscriptions for both protocols: WebSocket and event stream. */
export class Subscriptions {
  readonly #live: LiveSubscribers;
  #isStopped = false;

  constructor(private readonly dependencies: SubscriptionDependencies) {
    const { contexts, store, onUnexpected } = dependencies;
    this.#live = new LiveSubscribers(contexts, store, (error) => {
      onUnexpected(error, '');
    });
  }

  /**
   * Admits a socket for subscriptions if its session is fully authenticated. `onExpiry` is called when its
   * access token expires, unless the function that this gives was called before.
   */
  async admitSocket(
    request: CallerRequest,
    onExpiry: () => void,
  ): Promise<(() => void) | undefined> {
    await limitOf(request)?.enter({ lane: 'ordinary' });
    const { caller, now } = await this.dependencies.contexts.create(request);
    return caller && permits(caller, SESSION) ? atExpiry(caller, now, onExpiry) : undefined;
  }

  /**
   * Starts a subscription. If an error ends it, its last result contains the error. With `endsWithToken` it
   * ends when its access token expires; others end with their socket then.
   * @throws ApiError when it is refused
   */
  async start(
    request: CallerRequest,
    query: GraphQuery,
    cutOff: (error: ApiError) => void,
    { endsWithToken = false } = {},
  ): Promise<Results> {
    if (this.#isStopped) throw failure('UNAVAILABLE');
    const { schema } = this.dependencies;
    const { ctx, document } = await this.admitted(request, query);
    const subscriber = new Subscriber(ctx.caller, cutOff);
    const context = contextOf(ctx, subscriber);
    this.refuseMany(ctx.caller);
    const unwatch = this.watch({ subscriber, request }, endsWithToken ? ctx.now : undefined);
    try {
      const args: ExecutionArgs = {
        schema,
        document,
        rootValue: {},
        contextValue: context,
        variableValues: query.variables,
        operationName: query.operationName ?? null,
      };
      const source = await createSourceEventStream(args);
      if (!(Symbol.asyncIterator in source)) throw this.refusal(source, ctx);
      // The reads that follow are not bound by the time of the request.
      Object.assign(context, { store: this.dependencies.store, scope: undefined });
      return results(source[Symbol.asyncIterator](), subscriber, {
        resultOf: (event) => this.resultOf(args, context, event),
        withCodes: (result) => this.withErrorCodes(result, ctx),
        onEnd: unwatch,
      });
    } catch (error) {
      unwatch();
      // graphql-js does not expect a document whose fields are all skipped.
      const isNothing = error instanceof TypeError && !subscriber.hasBegun;
      throw isNothing ? failure('COULD_NOT_VALIDATE', 'the document follows nothing') : error;
    }
  }

  /**
   * Admits a connection of another protocol that lasts. It counts like a subscription, and ends like
   * one when its caller loses the permission or its access token expires: `onEnd` is called.
   * @throws ApiError when it is refused
   */
  async admitLasting(
    request: CallerRequest,
    permission: Permission,
    onEnd: () => void,
  ): Promise<LastingConnection> {
    await limitOf(request)?.enter({ lane: 'ordinary' });
    const ctx = await this.dependencies.contexts.create(request);
    const caller = permit(ctx, permission);
    if (this.#isStopped) throw failure('UNAVAILABLE');
    this.refuseMany(caller);
    const subscriber = new Subscriber(caller, onEnd);
    subscriber.needs(permission);
    subscriber.onEnd(onEnd);
    const leave = this.watch({ subscriber, request }, ctx.now);
    return { checked: () => subscriber.checked(), leave };
  }

  /** Ends all subscriptions; no new ones start. */
  stop(): void {
    this.#isStopped = true;
    this.#live.endAll();
  }

  /** Watches a caller; with a clock, also the time of its access token. Gives a function that ends the watch. */
  private watch(live: LiveSubscription, now: (() => Date) | undefined): () => void {
    const { subscriber } = live;
    const unwatch = this.#live.watch(live);
    if (!now || !subscriber.caller) return unwatch;
    const ignoreExpiry = atExpiry(subscriber.caller, now, () => {
      subscriber.end(expired());
    });
    return () => {
      ignoreExpiry();
      unwatch();
    };
  }

  /** Reads what a document selects of an event, as it is now: each event is a request of its own. */
  private async resultOf(
    args: ExecutionArgs,
    context: SubscriptionContext,
    event: unknown,
  ): Promise<ExecutionResult> {
    const replaced = { store: this.dependencies.store, holdings: new Holdings() };
    const contextValue = contextOf(contextWith(context, replaced), context.subscriber);
    try {
      return await execute({ ...args, rootValue: event, contextValue });
    } finally {
      replaced.holdings.release();
    }
  }

  private withErrorCodes(result: ExecutionResult, ctx: RequestContext): ExecutionResult {
    return withCodes(result, ctx, this.dependencies.onUnexpected);
  }

  private refusal(result: ExecutionResult, ctx: RequestContext): ApiError {
    const { originalError, message, path } = result.errors?.[0] ?? {};
    if (originalError instanceof ApiError) return originalError;
    if (originalError === undefined || path === undefined) {
      return failure('COULD_NOT_VALIDATE', message);
    }
    this.dependencies.onUnexpected(originalError, ctx.requestId);
    return new ApiError('UNHANDLED');
  }

  private refuseMany(caller: Caller | undefined): void {
    if (!caller) return;
    if (this.#live.count(caller.apiSessionId) >= MAX_OF_A_SESSION) {
      throw failure('RATE_LIMITED', `an API session may have ${String(MAX_OF_A_SESSION)} at once`);
    }
    if (this.#live.count(caller.identityId) >= MAX_OF_AN_IDENTITY) {
      throw failure('RATE_LIMITED', `an identity may have ${String(MAX_OF_AN_IDENTITY)} at once`);
    }
  }

  /** Applies the same limits as for any other document. */
  private async admitted(request: CallerRequest, query: GraphQuery): Promise<Admitted> {
    const admitted = await this.dependencies.admission
      .admit(request, query)
      .catch((error: unknown) => {
        throw error instanceof DocumentFault ? failure('COULD_NOT_VALIDATE', error.message) : error;
      });
    const operation = getOperationAST(admitted.document, query.operationName);
    if (operation?.operation === OperationTypeNode.SUBSCRIPTION) return admitted;
    throw failure('COULD_NOT_VALIDATE', 'only subscriptions are served here');
  }
}

/** Gives the caller in its present state at each access: its permissions change meanwhile. */
function contextOf(ctx: RequestContext, subscriber: Subscriber): SubscriptionContext {
  Object.defineProperty(ctx, 'caller', { get: () => subscriber.caller });
  return Object.assign(ctx, {
    subscriber,
    requestId: ctx.requestId || newId(),
    onPermitted: (permission: Permission) => {
      subscriber.needs(permission);
    },
  });
}
