import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import { Router, json } from 'express';
import { GraphQLError, type ExecutionResult } from 'graphql';
import type { RequestContext } from '../kernel/context.js';
import type { ContextFactory } from './context-factory.js';
import type { Executor } from './executor.js';
import { apiErrorOf, formatApiError } from './format-error.js';
import { admit } from './limits.js';

const BODY_LIMIT = '1mb';

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
          executor: async ({ document, source, context, operationName, request }) => {
            const { ctx } = context as GraphContext;
            const variables = request.variables ?? {};
            const name = operationName ?? undefined;
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
    plugins: [reportCost],
  });
  await server.start();
  const router = Router();
  router.use(json({ limit: BODY_LIMIT }));
  router.use(admit());
  router.use(
    expressMiddleware(server, {
      context: async ({ req, res }) => ({
        ctx: await contexts.create(req.headers, req.socket.remoteAddress ?? ''),
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
    if (!apiErrorOf(error) && error.originalError) onUnexpected(error.originalError, ctx.requestId);
    if (!error.originalError && !apiErrorOf(error)) return error;
    const { message, extensions, path } = formatApiError(error.toJSON(), error, ctx.requestId);
    return new GraphQLError(message, {
      ...(path ? { path } : {}),
      ...(extensions ? { extensions } : {}),
    });
  });
  return { data: result.data ?? null, ...(errors ? { errors } : {}) } as ExecutionResult<
    Record<string, unknown>,
    Record<string, unknown>
  >;
}

/** `extensions.cost` of every answer. */
const reportCost: ApolloServerPlugin<GraphContext> = {
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse: ({ response, contextValue }) => {
        if (response.body.kind === 'single') {
          const { singleResult } = response.body;
          singleResult.extensions = { ...singleResult.extensions, cost: contextValue.cost };
        }
        return Promise.resolve();
      },
    }),
};
