import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import { Router } from 'express';
import { GraphQLError, type ExecutionResult, type GraphQLFormattedError } from 'graphql';
import type { RequestContext } from '../kernel/context.js';
import { failure, type ApiError } from '../kernel/errors.js';
import { newId } from '../kernel/ids.js';
import type { ContextFactory } from './context-factory.js';
import type { Executor } from './executor.js';
import { apiErrorOf, formatApiError } from './format-error.js';
import { admit } from './server-admit.js';
import { anyBody, importBody } from './server-body.js';

/** A request of this door, with what its document was weighed at. */
interface GraphContext {
  readonly ctx: RequestContext;
  readonly cost: number;
}

export type OnUnexpected = (error: unknown, requestId: string) => void;

/** The GraphQL door: Apollo's protocol handling and CSRF prevention around our executor. */
export async function graphqlRouter(
  executor: Executor,
  contexts: ContextFactory,
  onUnexpected: OnUnexpected,
): Promise<Router> {
  const server = new ApolloServer<GraphContext>({
    gateway: {
      load: () =>
        Promise.resolve({
          executor: async ({ document, source, context, request }) => {
            const { ctx } = context as GraphContext;
            const variables = request.variables ?? {};
            const name = request.operationName;
            const result = await executor.run(document, source, ctx, variables, name);
            return withCodes(result, ctx, onUnexpected);
          },
        }),
      onSchemaLoadOrUpdate: (listen) => {
        listen({ apiSchema: executor.schema, coreSupergraphSdl: '' });
        return () => undefined;
      },
      stop: () => Promise.resolve(),
    },
    introspection: true,
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    // A text that is known by its hash alone would not be weighed.
    persistedQueries: false,
    plugins: [finish],
    formatError: (formatted, error) =>
      formatted.extensions?.code === 'INTERNAL_SERVER_ERROR'
        ? unexpected(formatted, error, onUnexpected)
        : formatted,
  });
  await server.start();
  const router = Router();
  router.post('/import', importBody(contexts));
  router.use(anyBody);
  router.use(admit());
  router.use(
    expressMiddleware(server, {
      context: async ({ req, res }) => ({
        ctx: await contexts.create(req),
        cost: (res.locals as { cost?: number }).cost ?? 0,
      }),
    }),
  );
  return router;
}

/** Errors leave with the code, status and place of the catalogue; what is not in it is logged. */
function withCodes(
  result: ExecutionResult,
  ctx: RequestContext,
  onUnexpected: OnUnexpected,
): ExecutionResult<Record<string, unknown>, Record<string, unknown>> {
  const errors = result.errors?.map((error) => {
    const known = apiErrorOf(error) ?? refusedVariable(error);
    if (!known) onUnexpected(error.originalError ?? error, ctx.requestId);
    const { message, extensions, path } = formatApiError(error.toJSON(), known, ctx.requestId);
    return new GraphQLError(message, {
      ...(path ? { path } : {}),
      ...(extensions ? { extensions } : {}),
    });
  });
  return {
    data: (result.data as Record<string, unknown> | null | undefined) ?? null,
    ...(errors ? { errors } : {}),
  };
}

/** What failed outside the execution, such as finding the session. */
function unexpected(
  formatted: GraphQLFormattedError,
  error: unknown,
  onUnexpected: OnUnexpected,
): GraphQLFormattedError {
  const requestId = newId();
  if (!apiErrorOf(error)) onUnexpected(error, requestId);
  return formatApiError(formatted, error, requestId);
}

/** What has no place in the answer was refused before the execution: values of variables. */
const refusedVariable = (error: GraphQLError): ApiError | undefined =>
  error.path ? undefined : failure('COULD_NOT_VALIDATE', error.message);

/** `extensions.cost` of every answer; the id of the request in what the protocol itself refuses. */
const finish: ApolloServerPlugin<GraphContext> = {
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse: ({ response, contextValue }) => {
        if (response.body.kind === 'single') {
          const { singleResult } = response.body;
          singleResult.extensions = { ...singleResult.extensions, cost: contextValue.cost };
          if (singleResult.errors) {
            const { requestId } = contextValue.ctx;
            singleResult.errors = singleResult.errors.map((e) => withRequest(e, requestId));
          }
        }
        return Promise.resolve();
      },
    }),
};

/** Faults of the document keep the codes that GraphQL clients know. */
const withRequest = (error: GraphQLFormattedError, requestId: string): GraphQLFormattedError =>
  error.extensions && 'requestId' in error.extensions
    ? error
    : { ...error, extensions: { status: 400, ...error.extensions, requestId } };
