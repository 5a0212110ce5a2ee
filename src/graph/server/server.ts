import {
  ApolloServer,
  HeaderMap,
  type ApolloServerOptions,
  type ApolloServerPlugin,
  type GraphQLRequest,
  type HTTPGraphQLHead,
} from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import { Router, type Request } from 'express';
import { GraphQLError, type ExecutionResult, type GraphQLFormattedError } from 'graphql';
import { failure } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { limitOf } from '../../requests/limits/index.js';
import { describeDocument, describeRequest } from '../../requests/observability/index.js';
import type { Admission } from '../documents/admission.js';
import { apiErrorOf, formatApiError } from '../format-error.js';
import { withCodes, type OnUnexpected } from '../result.js';
import { admit, type GraphContext, type GraphqlDependencies } from './server-admit.js';
import { anyBody, importBody } from './server-body.js';

/** The GraphQL interface: Apollo's protocol handling and CSRF prevention around our executor. */
export async function graphqlRouter(dependencies: GraphqlDependencies): Promise<Router> {
  const { executor, admission, onUnexpected } = dependencies;
  const server = new ApolloServer<GraphContext>({
    gateway: {
      load: () =>
        Promise.resolve({
          executor: ({ context }) => resultIn(context as GraphContext),
        }),
      onSchemaLoadOrUpdate: (listen) => {
        listen({ apiSchema: executor.schema, coreSupergraphSdl: '' });
        return () => undefined;
      },
      stop: () => Promise.resolve(),
    },
    introspection: true,
    // At a signal Apollo would refuse requests at once, which the program still serves while it drains.
    stopOnTerminationSignals: false,
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    // A document known only by its hash would skip the weighing.
    persistedQueries: false,
    // The executed document is the one that was admitted and validated.
    dangerouslyDisableValidation: true,
    documentStore: admittedDocuments(admission),
    parseOptions: { noLocation: true },
    // Apollo's page would load scripts from elsewhere; our own page is served earlier.
    plugins: [finish, runs(dependencies), ApolloServerPluginLandingPageDisabled()],
    formatError: (formatted, error) =>
      formatted.extensions?.code === 'INTERNAL_SERVER_ERROR'
        ? unexpected(formatted, error, onUnexpected)
        : formatted,
  });
  await server.start();
  const router = Router();
  router.post('/import', importBody(dependencies));
  router.use(anyBody(dependencies));
  router.use(admit(dependencies));
  router.use(
    expressMiddleware(server, {
      context: ({ res }) => Promise.resolve(res.locals as GraphContext),
    }),
  );
  return router;
}

/**
 * Runs documents, and answers those without errors. Apollo asks its gateway for other results, so that
 * it gives errors their form. It does not ask for all, since what it makes to ask is kept by V8 until a
 * full collection, with all that belongs to the request.
 */
const runs = (dependencies: GraphqlDependencies): ApolloServerPlugin<GraphContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      responseForOperation: async ({ request, contextValue }) => {
        const running = runDocument(dependencies, contextValue, request);
        contextValue.running = running;
        const result = await running.catch(() => undefined);
        if (!result || result.errors) return null;
        const singleResult = { data: result.data ?? null };
        return { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult } };
      },
    }),
});

async function runDocument(
  { executor, limits, onUnexpected }: GraphqlDependencies,
  { ctx, message, payer, document, text, isAboutSchema }: GraphContext,
  { variables = {}, operationName }: GraphQLRequest,
): Promise<ExecutionResult> {
  if (!document || text === undefined) throw failure('COULD_NOT_PARSE_BODY');
  describeDocument(message, document, operationName);
  const measure = <T>(work: () => T): T => limits.measure(payer, work);
  // Introspection is answered without a pause for other requests.
  const running = async (): Promise<ExecutionResult> =>
    isAboutSchema
      ? limits.prepare(payer, () => executor.run(document, text, ctx, variables, operationName))
      : executor.run(document, text, ctx, variables, operationName, measure);
  return withCodes(await inTime(running(), message), ctx, onUnexpected);
}

async function resultIn({ running }: GraphContext): Promise<ExecutionResult> {
  if (!running) throw failure('UNHANDLED', 'Apollo asks for a result before it was computed');
  return running;
}

const HASH_DIGITS = 64;

type DocumentStore = NonNullable<ApolloServerOptions<GraphContext>['documentStore']>;

/** Gives Apollo the admitted documents by the same hashes, so that it does not parse them again. */
const admittedDocuments = ({ documents }: Admission): DocumentStore => ({
  get: (key) => Promise.resolve(documents.find(key.slice(-HASH_DIGITS))),
  set: () => Promise.resolve(),
  delete: () => Promise.resolve(false),
});

/** Gives the result of an execution, or the refusal when the time of the request is over. */
async function inTime(
  running: Promise<ExecutionResult>,
  message: Request,
): Promise<ExecutionResult> {
  const limit = limitOf(message);
  if (!limit) return running;
  try {
    return await limit.run(running);
  } catch (error) {
    const originalError = apiErrorOf(error);
    if (!originalError) throw error;
    return { errors: [new GraphQLError(originalError.message, { originalError, path: [] })] };
  }
}

/** Formats an error from outside the execution, such as from finding the session. */
function unexpected(
  formatted: GraphQLFormattedError,
  error: unknown,
  onUnexpected: OnUnexpected,
): GraphQLFormattedError {
  const givenId = formatted.extensions?.requestId;
  const requestId = typeof givenId === 'string' ? givenId : newId();
  if (!apiErrorOf(error)) onUnexpected(error, requestId);
  return formatApiError(formatted, error, requestId);
}

/**
 * Adds the `extensions` of every answer: its cost, and the caller's remaining budget in this minute.
 * Errors of the protocol itself get the id of the request, refusals the time to come back.
 */
const finish: ApolloServerPlugin<GraphContext> = {
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse: ({ response, contextValue }) => {
        if (response.body.kind === 'single') {
          const { singleResult } = response.body;
          const { cost, budget, ctx, message } = contextValue;
          singleResult.extensions = {
            ...singleResult.extensions,
            cost,
            ...(budget ? { budget } : {}),
          };
          if (singleResult.errors) {
            singleResult.errors = singleResult.errors.map((e) => withRequest(e, ctx.requestId));
            setRetryHint(response.http, singleResult);
            const outcome = Math.max(...singleResult.errors.map(statusOf));
            describeRequest(message, { outcome });
          }
        }
        return Promise.resolve();
      },
    }),
};

const isEmpty = (data: Record<string, unknown> | null | undefined): boolean =>
  Object.values(data ?? {}).every((value) => value === null);
const statusOf = ({ extensions }: GraphQLFormattedError): number => Number(extensions?.status);

/** Faults of the document keep the codes that GraphQL clients know. */
const withRequest = (error: GraphQLFormattedError, requestId: string): GraphQLFormattedError =>
  error.extensions && 'requestId' in error.extensions
    ? error
    : { ...error, extensions: { status: 400, ...error.extensions, requestId } };

/** Sets the time to come back, and the status where the answer is only a refusal. */
function setRetryHint(
  http: HTTPGraphQLHead,
  {
    data,
    errors = [],
  }: Pick<ExecutionResult, 'data'> & { errors?: readonly GraphQLFormattedError[] },
): void {
  const hints = errors.map((e) => Number(e.extensions?.retryAfter ?? 0));
  const longest = Math.max(0, ...hints);
  if (longest === 0) return;
  http.headers.set('retry-after', String(longest));
  const status = Number(errors[0]?.extensions?.status);
  if (isEmpty(data) && hints[0] !== 0) http.status = status;
}
