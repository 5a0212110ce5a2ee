import { createHash } from 'node:crypto';
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
import { failure } from '../base/errors.js';
import type { RequestContext } from '../kernel/request/context.js';
import { shapeOf } from './documents/document-shape.js';

type Variables = Record<string, unknown>;

/** Texts that came once, by their hashes. */
const SEEN_TEXTS = 2_000;
/** A compiled document takes two or three kilobytes for each of its selections. */
const COMPILED_SELECTIONS = 30_000;
const COMPILED_SELECTIONS_OF_STRANGERS = 5_000;
/** Compiling a larger one takes longer than it saves. */
const LARGEST_COMPILED = 1_500;
const MOST_FAULTS = 10;

/** A document compiled once, for rows of the REST interface. */
export type CompiledOperation = (
  ctx: RequestContext,
  variables: Variables,
) => Promise<ExecutionResult>;

interface Compiled {
  readonly run: CompiledOperation;
  readonly selections: number;
}

const compiledOperations = (maxSize: number): LRUCache<string, Compiled> =>
  new LRUCache({ maxSize, sizeCalculation: ({ selections }) => selections });

/** Wraps what takes the process for a while before a document runs. */
type Measure = (compile: () => CompiledOperation) => CompiledOperation;

/**
 * Runs documents. A text that comes a second time is compiled; the memory of both is bounded, so
 * that nobody can make us compile or remember without limit, and strangers no more than their share.
 */
export class Executor {
  readonly #seen = new LRUCache<string, true>({ max: SEEN_TEXTS });
  readonly #ofCallers = compiledOperations(COMPILED_SELECTIONS);
  readonly #ofStrangers = compiledOperations(COMPILED_SELECTIONS_OF_STRANGERS);

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
    measure: Measure = (compile) => compile(),
  ): Promise<ExecutionResult> {
    const operation = getOperationAST(document, operationName);
    if (operation?.operation === OperationTypeNode.SUBSCRIPTION) {
      throw failure('COULD_NOT_VALIDATE', 'subscriptions are served by WebSocket and event stream');
    }
    // Which operation is meant may be unclear: the plain execution says so.
    const compiled =
      operation &&
      this.compiledFor(keyOf(text, operationName), ctx, document, () =>
        measure(() => this.compileNow(document, operationName)),
      );
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

  /** What was compiled of a text, or is now that it comes again. */
  private compiledFor(
    key: string,
    { caller }: RequestContext,
    document: DocumentNode,
    compile: () => CompiledOperation,
  ): CompiledOperation | undefined {
    const compiled = caller ? this.#ofCallers : this.#ofStrangers;
    const known = compiled.get(key);
    if (known) return known.run;
    if (!this.#seen.has(key)) {
      this.#seen.set(key, true);
      return undefined;
    }
    const { selections } = shapeOf(document);
    if (selections > LARGEST_COMPILED) return undefined;
    const run = compile();
    compiled.set(key, { run, selections });
    return run;
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

const keyOf = (text: string, operationName = ''): string =>
  createHash('sha256').update(`${operationName}\n${text}`).digest('base64url');

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
