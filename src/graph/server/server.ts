import {
  ApolloServer,
  type ApolloServerOptions,
  type ApolloServerPlugin,
  type HTTPGraphQLHead,
} from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { expressMiddleware } from '@as-integrations/express5';
import { Router } from 'express';
import { GraphQLError, type ExecutionResult, type GraphQLFormattedError } from 'graphql';
import { failure } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { currentRequest } from '../../limits/index.js';
import { describeDocument, describeRequest } from '../../observability/index.js';
import type { Admission } from '../documents/admission.js';
import { apiErrorOf, formatApiError } from '../format-error.js';
import { withCodes, type OnUnexpected } from '../result.js';
import { admit, type GraphContext, type GraphDoorParts } from './server-admit.js';
import { anyBody, importBody } from './server-body.js';

/** The GraphQL door: Apollo's protocol handling and CSRF prevention around our executor. */
export async function graphqlRouter(parts: GraphDoorParts): Promise<Router> {
  const { executor, admission, limits, onUnexpected } = parts;
  const server = new ApolloServer<GraphContext>({
    gateway: {
      load: () =>
        Promise.resolve({
          executor: async ({ context, request }) => {
            const admitted = context as GraphContext;
            const { ctx, message, payer, document, text } = admitted;
            if (!document || text === undefined) throw failure('COULD_NOT_PARSE_BODY');
            const variables = request.variables ?? {};
            const name = request.operationName;
            describeDocument(message, document, name);
            const measure = <T>(work: () => T): T => limits.measure(payer, work);
            // What is known about the schema is answered without a pause for others.
            const running = async (): Promise<ExecutionResult> =>
              admitted.isAboutSchema
                ? limits.prepare(payer, () => executor.run(document, text, ctx, variables, name))
                : executor.run(document, text, ctx, variables, name, measure);
            return withCodes(await inTime(running()), ctx, onUnexpected);
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
    // What runs is the document that was admitted, and validated then.
    dangerouslyDisableValidation: true,
    documentStore: admittedDocuments(admission),
    parseOptions: { noLocation: true },
    // Its page would load scripts from elsewhere; ours is served before.
    plugins: [finish, ApolloServerPluginLandingPageDisabled()],
    formatError: (formatted, error) =>
      formatted.extensions?.code === 'INTERNAL_SERVER_ERROR'
        ? unexpected(formatted, error, onUnexpected)
        : formatted,
  });
  await server.start();
  const router = Router();
  router.post('/import', importBody(parts));
  router.use(anyBody(parts));
  router.use(admit(parts));
  router.use(
    expressMiddleware(server, {
      context: ({ res }) => Promise.resolve(res.locals as GraphContext),
    }),
  );
  return router;
}

const HASH_DIGITS = 64;

type DocumentStore = NonNullable<ApolloServerOptions<GraphContext>['documentStore']>;

/** Where Apollo finds the documents, by the same hashes, instead of parsing them. */
const admittedDocuments = ({ documents }: Admission): DocumentStore => ({
  get: (key) => Promise.resolve(documents.find(key.slice(-HASH_DIGITS))),
  set: () => Promise.resolve(),
  delete: () => Promise.resolve(false),
});

/** The result of an execution, or what the request is refused with when its time is up before. */
async function inTime(running: Promise<ExecutionResult>): Promise<ExecutionResult> {
  const current = currentRequest();
  if (!current) return running;
  try {
    return await current.run(running);
  } catch (error) {
    const originalError = apiErrorOf(error);
    if (!originalError) throw error;
    return { errors: [new GraphQLError(originalError.message, { originalError, path: [] })] };
  }
}

/** What failed outside the execution, such as finding the session. */
function unexpected(
  formatted: GraphQLFormattedError,
  error: unknown,
  onUnexpected: OnUnexpected,
): GraphQLFormattedError {
  const given = formatted.extensions?.requestId;
  const requestId = typeof given === 'string' ? given : newId();
  if (!apiErrorOf(error)) onUnexpected(error, requestId);
  return formatApiError(formatted, error, requestId);
}

/**
 * `extensions` of every answer: what it cost, and what the caller may still ask in this minute; the
 * id of the request in what the protocol itself refuses, and when to come back after a refusal.
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
            hintAt(response.http, singleResult);
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

/** When to come back; and the status where there is nothing but the refusal. */
function hintAt(
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
