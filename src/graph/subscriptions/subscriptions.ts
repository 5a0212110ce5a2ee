import {
  getOperationAST,
  Kind,
  OperationTypeNode,
  parse,
  subscribe,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import type { RequestContext } from '../../kernel/context.js';
import { ApiError, failure } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import { permissionOf } from '../../kernel/needs.js';
import { SESSION, type Permission } from '../../kernel/permissions.js';
import type { Store } from '../../kernel/store-port.js';
import type { CallerRequest, ContextFactory } from '../context-factory.js';
import { MAX_TOKENS, refuseTooMuch, weigh } from '../limits.js';
import { withCodes, type OnUnexpected } from '../result.js';
import { LiveSubscribers } from './live-subscribers.js';
import { results, type Results } from './results.js';
import { Subscriber, type SubscriptionContext } from './subscriber.js';

export interface SubscriptionParts {
  readonly schema: GraphQLSchema;
  readonly contexts: ContextFactory;
  readonly store: Pick<Store, 'onChange'>;
  readonly onUnexpected: OnUnexpected;
}

/** What a client asks for, in either protocol. */
export interface Asked {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
  readonly operationName?: string | null | undefined;
}

/** Of one API session at a time. */
const MOST_OF_A_SESSION = 100;

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
    const { caller } = await this.parts.contexts.create(request);
    return caller?.authQueries.length === 0;
  }

  /**
   * Begins a subscription. Its results end with one of errors when it is ended for a reason.
   * @throws ApiError when it is refused
   */
  async start(
    request: CallerRequest,
    asked: Asked,
    cutOff: (error: ApiError) => void,
  ): Promise<Results> {
    if (this.#isStopped) throw failure('UNAVAILABLE');
    const { schema, contexts } = this.parts;
    const document = this.admitted(asked);
    const ctx = await contexts.create(request);
    const subscriber = new Subscriber(ctx.caller, cutOff);
    const context = contextOf(ctx, subscriber);
    if (this.#live.count(ctx.caller?.apiSessionId) >= MOST_OF_A_SESSION) {
      throw failure('RATE_LIMITED', `an API session may have ${String(MOST_OF_A_SESSION)} at once`);
    }
    const permission = permissionIn(schema, document, asked.operationName);
    const unwatch = this.#live.watch({ subscriber, request, permission });
    try {
      const source = await subscribe({
        schema,
        document,
        rootValue: {},
        contextValue: context,
        variableValues: asked.variables ?? {},
        operationName: asked.operationName ?? null,
      });
      if (!(Symbol.asyncIterator in source)) throw this.refusal(source, ctx);
      return results(source, (result) => this.coded(result, ctx), unwatch);
    } catch (error) {
      unwatch();
      throw error;
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

  /** The same limits as for any other document. */
  private admitted({ query, variables, operationName }: Asked): DocumentNode {
    const document = parsed(query);
    refuseTooMuch(weigh(document, variables ?? {}));
    const [fault] = validate(this.parts.schema, document, undefined, { maxErrors: 1 });
    if (fault) throw failure('COULD_NOT_VALIDATE', fault.message);
    const operation = getOperationAST(document, operationName);
    if (operation?.operation === OperationTypeNode.SUBSCRIPTION) return document;
    throw failure('COULD_NOT_VALIDATE', 'only subscriptions are served here');
  }
}

function parsed(query: string): DocumentNode {
  try {
    return parse(query, { maxTokens: MAX_TOKENS, noLocation: true });
  } catch (error) {
    const { message } = error as Error;
    const isTooLong = message.includes(`${String(MAX_TOKENS)} tokens`);
    throw failure(isTooLong ? 'QUERY_TOO_COMPLEX' : 'COULD_NOT_VALIDATE', message);
  }
}

/** That of the one field; a fragment hides it, and the guard of the field asks for it anyway. */
function permissionIn(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): Permission {
  const [field] = getOperationAST(document, operationName)?.selectionSet.selections ?? [];
  const name = field?.kind === Kind.FIELD ? field.name.value : '';
  const declared = schema.getSubscriptionType()?.getFields()[name];
  return (declared && permissionOf(declared)) ?? SESSION;
}

/** Asks for the caller anew each time: what it may do changes meanwhile. */
function contextOf(ctx: RequestContext, subscriber: Subscriber): SubscriptionContext {
  Object.defineProperty(ctx, 'caller', { get: () => subscriber.caller });
  return Object.assign(ctx, { subscriber, requestId: ctx.requestId || newId() });
}
