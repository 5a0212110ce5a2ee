import { createHash } from 'node:crypto';
import {
  BREAK,
  execute,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  Kind,
  OperationTypeNode,
  print,
  visit,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type TypeNode,
  type ValueNode,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { failure } from '../base/errors.js';
import type { RequestContext } from '../kernel/request/context.js';
import { shapeOf } from './documents/document-shape.js';

type Variables = Record<string, unknown>;

/** The number of hashes of texts that came once. */
const SEEN_TEXTS = 2_000;
/** A compiled document takes two or three kilobytes for each of its selections. */
const COMPILED_SELECTIONS = 30_000;
const COMPILED_SELECTIONS_OF_STRANGERS = 5_000;
/** Compiling a larger document takes longer than it saves. */
const MAX_COMPILED_LENGTH = 1_500;
const MAX_FAULTS = 10;

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

/** Measures the compilation, which blocks the process before a document runs. */
type Measure = (compile: () => CompiledOperation) => CompiledOperation;

/**
 * Runs documents. It compiles a text that comes a second time. Its caches are bounded, so that
 * clients can not make it compile or store without limit; strangers have a smaller share.
 */
export class Executor {
  /** Whether a text that came once is compiled when it comes again. */
  readonly #seenTexts = new LRUCache<string, boolean>({ max: SEEN_TEXTS });
  readonly #ofCallers = compiledOperations(COMPILED_SELECTIONS);
  readonly #ofStrangers = compiledOperations(COMPILED_SELECTIONS_OF_STRANGERS);

  constructor(readonly schema: GraphQLSchema) {}

  /** Compiles a valid document on its first run. */
  compile(document: DocumentNode): CompiledOperation {
    if (!mayCompile(document)) throw new Error(`can not be compiled: ${print(document)}`);
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
    // Without a clear choice of operation, the plain execution gives the error.
    const compiled =
      operation &&
      this.compiledFor(keyOf(text, operationName), ctx, document, () =>
        measure(() => this.compileNow(document, operationName)),
      );
    if (compiled) return compiled(ctx, variables);
    return releasing(ctx, () =>
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

  /** Gives the compiled document, and compiles a text that comes a second time. */
  private compiledFor(
    key: string,
    { caller }: RequestContext,
    document: DocumentNode,
    compile: () => CompiledOperation,
  ): CompiledOperation | undefined {
    const compiled = caller ? this.#ofCallers : this.#ofStrangers;
    const cached = compiled.get(key);
    if (cached) return cached.run;
    const isCompiled = this.#seenTexts.get(key);
    if (isCompiled === undefined) this.#seenTexts.set(key, mayCompile(document));
    if (isCompiled !== true) return undefined;
    const run = compile();
    compiled.set(key, { run, selections: shapeOf(document).selections });
    return run;
  }

  private compileNow(document: DocumentNode, operationName: string | undefined): CompiledOperation {
    const compiled = compileQuery(this.schema, withFreeVariables(document), operationName);
    if (!isCompiledQuery(compiled)) {
      throw new GraphQLError(compiled.errors?.[0]?.message ?? 'the document can not be compiled');
    }
    const declared = getOperationAST(document, operationName)?.variableDefinitions ?? [];
    return (ctx, variables) => {
      const { errors, coerced } = getVariableValues(this.schema, declared, variables, {
        maxErrors: MAX_FAULTS,
      });
      if (!coerced) return Promise.resolve({ errors });
      return releasing(ctx, () => compiled.query({}, ctx, coerced));
    };
  }
}

/**
 * Whether the compiled document gives the same answers as the plain one, and is worth it. Of a field
 * that is selected twice, and skipped once, the compiler gives the fragments of both selections.
 */
function mayCompile(document: DocumentNode): boolean {
  const { selections, pairs, directives } = shapeOf(document);
  const mayMergeSkipped = pairs > 0 && directives > 0;
  return (
    selections <= MAX_COMPILED_LENGTH &&
    !mayMergeSkipped &&
    !hasVariablesInValues(document) &&
    !hasInheritedNames(document)
  );
}

/**
 * Whether a variable or an alias is called like a member that every object inherits, as in
 * `$toString` or `__proto__: services`. The compiler takes the inherited member for the value of a
 * variable that was not sent, and sets the prototype of an answer instead of its member.
 */
function hasInheritedNames(document: DocumentNode): boolean {
  let isFound = false;
  visit(document, {
    Name: ({ value }) => {
      isFound ||= value in Object.prototype;
      return isFound ? BREAK : undefined;
    },
  });
  return isFound;
}

/**
 * Whether variables are parts of values, as in `{tags: {site: $site}}`. The compiler leaves them out of free
 * JSON, and gives undefined members for those that the client does not send.
 */
function hasVariablesInValues(document: DocumentNode): boolean {
  let isFound = false;
  const inside = {
    enter: (node: ValueNode) => {
      visit(node, {
        Variable: () => {
          isFound = true;
          return BREAK;
        },
      });
      return isFound ? BREAK : false;
    },
  };
  visit(document, { ObjectValue: inside, ListValue: inside });
  return isFound;
}

const keyOf = (text: string, operationName = ''): string =>
  createHash('sha256').update(`${operationName}\n${text}`).digest('base64url');

/** Releases the holdings of a request; the reader of a list in slices releases its own. */
async function releasing(
  ctx: RequestContext,
  run: () => ExecutionResult | Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  try {
    return await run();
  } finally {
    if (!ctx.slices) ctx.holdings.release();
  }
}

/**
 * Gives the document with variables of any type, for the compiler: it would write code for every
 * member of an input, and never end for a recursive input. Variables are checked and coerced
 * before, by the same function as in a plain execution. The compiler wants truth values with their
 * type, because `@include` and `@skip` may use them.
 */
const withFreeVariables = (document: DocumentNode): DocumentNode =>
  visit(document, {
    VariableDefinition: ({ kind, variable, type }) =>
      isTruthValue(type)
        ? undefined
        : {
            kind,
            variable,
            type: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSON' } },
          },
  });

const isTruthValue = (type: TypeNode): boolean =>
  type.kind === Kind.NON_NULL_TYPE
    ? isTruthValue(type.type)
    : type.kind === Kind.NAMED_TYPE && type.name.value === 'Boolean';
