import {
  getOperationAST,
  OperationTypeNode,
  subscribe,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import type { Caller, RequestContext } from '../../kernel/request/context.js';
import { ApiError, failure } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import type { Permission } from '../../kernel/declare/permissions.js';
import type { Store } from '../../kernel/request/store-port.js';
import { currentRequest } from '../../limits/index.js';
import type { Admission, Admitted, GraphQuery } from '../documents/admission.js';
import type { CallerRequest, ContextFactory } from '../context-factory.js';
import { DocumentFault } from '../documents/document-fault.js';
import { withCodes, type OnUnexpected } from '../result.js';
import { LiveSubscribers } from './live-subscribers.js';
import { results, type Results } from './results.js';
import { Subscriber, type SubscriptionContext } from './subscriber.js';

export interface SubscriptionParts {
  readonly schema: GraphQLSchema;
  readonly contexts: ContextFactory;
  readonly admission: Admission;
  readonly store: Pick<Store, 'onChange'>;
  readonly onUnexpected: OnUnexpected;
}

/** At a time: of one API session, and of all those of one identity. */
const MOST_OF_A_SESSION = 100;
const MOST_OF_AN_IDENTITY = 500;

/** Runs subscriptions for both protocols: WebSocket and event stream. */
export class Subscriptions {
  readonly #live: LiveSubscribers;
  #isStopped = false;

  constructor(private readonly parts: SubscriptionParts) {
    const { contexts, store, onUnexpected } = parts;
    this.#live = new LiveSubscribers(contexts, store, (error) => {
      onUnexpected(error, '');
    });
  }

  /** Whether the request comes with a session in full standing. */
  async admits(request: CallerRequest): Promise<boolean> {
    await currentRequest()?.enter({ lane: 'ordinary' });
    const { caller } = await this.parts.contexts.create(request);
    return caller?.authQueries.length === 0;
  }

  /**
   * Begins a subscription. Its results end with one of errors when it is ended for a reason.
   * @throws ApiError when it is refused
   */
  async start(
    request: CallerRequest,
    asked: GraphQuery,
    cutOff: (error: ApiError) => void,
  ): Promise<Results> {
    if (this.#isStopped) throw failure('UNAVAILABLE');
    const { schema } = this.parts;
    const { ctx, document } = await this.admitted(request, asked);
    const subscriber = new Subscriber(ctx.caller, cutOff);
    const context = contextOf(ctx, subscriber);
    this.refuseMany(ctx.caller);
    const unwatch = this.#live.watch({ subscriber, request });
    try {
      const source = await subscribe({
        schema,
        document,
        rootValue: {},
        contextValue: context,
        variableValues: asked.variables,
        operationName: asked.operationName ?? null,
      });
      if (!(Symbol.asyncIterator in source)) throw this.refusal(source, ctx);
      return results(source, (result) => this.coded(result, ctx), unwatch);
    } catch (error) {
      unwatch();
      // The executor does not expect that all is skipped.
      const isNothing = error instanceof TypeError && !subscriber.hasBegun;
      throw isNothing ? failure('COULD_NOT_VALIDATE', 'the document follows nothing') : error;
    }
  }

  /** Ends all; no more begin. */
  stop(): void {
    this.#isStopped = true;
    this.#live.endAll();
  }

  private coded(result: ExecutionResult, ctx: RequestContext): ExecutionResult {
    return withCodes(result, ctx, this.parts.onUnexpected);
  }

  private refusal(result: ExecutionResult, ctx: RequestContext): ApiError {
    const { originalError, message, path } = result.errors?.[0] ?? {};
    if (originalError instanceof ApiError) return originalError;
    if (originalError === undefined || path === undefined) {
      return failure('COULD_NOT_VALIDATE', message);
    }
    this.parts.onUnexpected(originalError, ctx.requestId);
    return new ApiError('UNHANDLED');
  }

  private refuseMany(caller: Caller | undefined): void {
    if (!caller) return;
    if (this.#live.count(caller.apiSessionId) >= MOST_OF_A_SESSION) {
      throw failure('RATE_LIMITED', `an API session may have ${String(MOST_OF_A_SESSION)} at once`);
    }
    if (this.#live.count(caller.identityId) >= MOST_OF_AN_IDENTITY) {
      throw failure('RATE_LIMITED', `an identity may have ${String(MOST_OF_AN_IDENTITY)} at once`);
    }
  }

  /** The same limits as for any other document. */
  private async admitted(request: CallerRequest, asked: GraphQuery): Promise<Admitted> {
    const admitted = await this.parts.admission.admit(request, asked).catch((error: unknown) => {
      throw error instanceof DocumentFault ? failure('COULD_NOT_VALIDATE', error.message) : error;
    });
    const operation = getOperationAST(admitted.document, asked.operationName);
    if (operation?.operation === OperationTypeNode.SUBSCRIPTION) return admitted;
    throw failure('COULD_NOT_VALIDATE', 'only subscriptions are served here');
  }
}

/** Asks for the caller anew each time: what it may do changes meanwhile. */
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
