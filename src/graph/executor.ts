import {
  execute,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  Kind,
  OperationTypeNode,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { failure } from '../kernel/errors.js';
import type { RequestContext } from '../kernel/context.js';

type Variables = Record<string, unknown>;

const COMPILED_TEXTS = 500;
const MOST_FAULTS = 50;

/** A document compiled once, for rows of the REST interface. */
export type CompiledOperation = (
  ctx: RequestContext,
  variables: Variables,
) => Promise<ExecutionResult>;

/**
 * Runs documents. A text that comes a second time is compiled; the memory of both is bounded, so
 * that strangers can neither make us compile nor remember without limit.
 */
export class Executor {
  readonly #seen = new LRUCache<string, true>({ max: 4 * COMPILED_TEXTS });
  readonly #compiled = new LRUCache<string, CompiledOperation>({ max: COMPILED_TEXTS });

  constructor(readonly schema: GraphQLSchema) {}

  /** Compiles when first run; a document that does not fit the schema must be refused before. */
  compile(document: DocumentNode): CompiledOperation {
    let compiled: CompiledOperation | undefined;
    return (ctx, variables) => {
      compiled ??= this.compileNow(document, undefined);
      return compiled(ctx, variables);
    };
  }

  async run(
    document: DocumentNode,
    text: string,
    ctx: RequestContext,
    variables: Variables,
    operationName: string | undefined,
  ): Promise<ExecutionResult> {
    if (getOperationAST(document, operationName)?.operation === OperationTypeNode.SUBSCRIPTION) {
      throw failure('COULD_NOT_VALIDATE', 'subscriptions are served by WebSocket and event stream');
    }
    const key = `${operationName ?? ''}\n${text}`;
    const compiled = this.#compiled.get(key) ?? this.compileSecond(key, document, operationName);
    if (compiled) return compiled(ctx, variables);
    return releasing(ctx, async () =>
      execute({
        schema: this.schema,
        document,
        rootValue: {},
        contextValue: ctx,
        variableValues: variables,
        ...(operationName === undefined ? {} : { operationName }),
      }),
    );
  }

  private compileSecond(
    key: string,
    document: DocumentNode,
    operationName: string | undefined,
  ): CompiledOperation | undefined {
    if (!this.#seen.has(key)) {
      this.#seen.set(key, true);
      return undefined;
    }
    // Which operation is meant may be unclear: the plain execution says so.
    if (!getOperationAST(document, operationName)) return undefined;
    const compiled = this.compileNow(document, operationName);
    this.#compiled.set(key, compiled);
    return compiled;
  }

  private compileNow(document: DocumentNode, operationName: string | undefined): CompiledOperation {
    const compiled = compileQuery(this.schema, withFreeVariables(document), operationName);
    if (!isCompiledQuery(compiled)) {
      throw new GraphQLError(compiled.errors?.[0]?.message ?? 'the document can not be compiled');
    }
    const declared = getOperationAST(document, operationName)?.variableDefinitions ?? [];
    return async (ctx, variables) => {
      const { errors, coerced } = getVariableValues(this.schema, declared, variables, {
        maxErrors: MOST_FAULTS,
      });
      if (!coerced) return { errors };
      return releasing(ctx, async () => compiled.query({}, ctx, coerced));
    };
  }
}

/** What a list holds that is read in slices, whoever reads it gives back. */
async function releasing(
  ctx: RequestContext,
  run: () => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  try {
    return await run();
  } finally {
    if (!ctx.slices) ctx.holdings.release();
  }
}

/**
 * The document with variables of any type, for the compiler: it writes code for every member of an
 * input, without end for one that contains itself. So variables are checked and coerced before, by
 * the same function as in a plain execution.
 */
const withFreeVariables = (document: DocumentNode): DocumentNode =>
  visit(document, {
    VariableDefinition: ({ kind, variable }) => ({
      kind,
      variable,
      type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSON' } },
    }),
  });
