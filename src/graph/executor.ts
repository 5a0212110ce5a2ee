import {
  execute,
  GraphQLError,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { RequestContext } from '../kernel/context.js';

type Variables = Record<string, unknown>;

const COMPILED_TEXTS = 500;

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
  readonly #compiled = new LRUCache<string, CompiledQuery>({ max: COMPILED_TEXTS });

  constructor(readonly schema: GraphQLSchema) {}

  /** Compiles when first run; a document that does not fit the schema must be refused before. */
  compile(document: DocumentNode): CompiledOperation {
    let compiled: CompiledQuery | undefined;
    return async (ctx, variables) => {
      compiled ??= this.compileNow(document);
      return compiled.query({}, ctx, variables);
    };
  }

  async run(
    document: DocumentNode,
    text: string,
    ctx: RequestContext,
    variables: Variables,
    operationName: string | undefined,
  ): Promise<ExecutionResult> {
    const key = `${operationName ?? ''}\n${text}`;
    const compiled = this.#compiled.get(key) ?? this.compileSecond(key, document, operationName);
    if (compiled) return compiled.query({}, ctx, variables);
    return execute({
      schema: this.schema,
      document,
      rootValue: {},
      contextValue: ctx,
      variableValues: variables,
      ...(operationName === undefined ? {} : { operationName }),
    });
  }

  private compileSecond(
    key: string,
    document: DocumentNode,
    operationName: string | undefined,
  ): CompiledQuery | undefined {
    if (!this.#seen.has(key)) {
      this.#seen.set(key, true);
      return undefined;
    }
    const compiled = this.compileNow(document, operationName);
    this.#compiled.set(key, compiled);
    return compiled;
  }

  private compileNow(document: DocumentNode, operationName?: string): CompiledQuery {
    const compiled = compileQuery(this.schema, document, operationName);
    if (isCompiledQuery(compiled)) return compiled;
    throw new GraphQLError(compiled.errors?.[0]?.message ?? 'the document can not be compiled');
  }
}
