import { createHash } from 'node:crypto';
import {
  GraphQLError,
  NoFragmentCyclesRule,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type ParseOptions,
  type ValidationRule,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { ApiError, failure } from '../../base/errors.js';
import { DocumentFault } from './document-fault.js';
import { refuseShape, shapeOf } from './document-shape.js';
import { MAX_LENGTH, refuseTooMuch, weigh } from './limits.js';
import { parseDocument } from './parse-document.js';

/** The memory for valid documents; the estimate of their size is rather too high. */
const BYTES_OF_CALLERS = 32 * 1024 * 1024;
/** The memory for documents that no session has sent: strangers evict only documents of strangers. */
const BYTES_OF_STRANGERS = 8 * 1024 * 1024;
const BYTES_OF_NODE = 150;
const REFUSALS = 2_000;
/** More faults would cost time, because graphql-js searches a similar name for each. */
const MAX_FAULTS = 10;

interface Valid {
  readonly document: DocumentNode;
  readonly size: number;
}

const validDocuments = (maxSize: number): LRUCache<string, Valid> =>
  new LRUCache({ maxSize, sizeCalculation: ({ size }) => size });

/**
 * The documents of clients by their texts. Each is parsed and validated once while it is cached, and
 * the fault of an invalid one is cached as well. All three caches are bounded.
 */
export class Documents {
  readonly #ofCallers = validDocuments(BYTES_OF_CALLERS);
  readonly #ofStrangers = validDocuments(BYTES_OF_STRANGERS);
  readonly #refusals = new LRUCache<string, ApiError | DocumentFault>({ max: REFUSALS });
  /** The number of validations so far; tests compare it before and after. */
  validations = 0;

  constructor(private readonly schema: GraphQLSchema) {}

  /**
   * Gives the key of a text.
   * @throws ApiError QUERY_TOO_COMPLEX
   */
  hashOf(text: string): string {
    if (text.length > MAX_LENGTH) {
      throw failure(
        'QUERY_TOO_COMPLEX',
        `the document has more than ${String(MAX_LENGTH)} characters`,
      );
    }
    return createHash('sha256').update(text).digest('hex');
  }

  /**
   * Gives the valid document of a cached text.
   * @throws ApiError, DocumentFault if the text was refused earlier
   */
  find(hash: string): DocumentNode | undefined {
    const refusal = this.#refusals.get(hash);
    if (refusal) throw refusal;
    return (this.#ofCallers.get(hash) ?? this.#ofStrangers.get(hash))?.document;
  }

  /**
   * Parses a text that is not cached and makes the cheap checks.
   * @throws ApiError QUERY_TOO_COMPLEX, DocumentFault
   */
  read(hash: string, text: string): DocumentNode {
    return this.cachingRefusal(hash, () => {
      const document = parsed(text, { noLocation: true });
      const shape = shapeOf(document);
      refuseShape(shape);
      if (shape.isCircular) this.refuseFaults(text, [NoFragmentCyclesRule]);
      refuseTooMuch({ ...weigh(document, {}), cost: 0 });
      return document;
    });
  }

  /**
   * Validates a parsed document unless it is cached by now; gives the document to run.
   * @throws DocumentFault
   */
  accept(
    hash: string,
    text: string,
    parsedDocument: DocumentNode,
    isOfCaller: boolean,
  ): DocumentNode {
    const cached = this.#ofCallers.get(hash) ?? this.#ofStrangers.get(hash);
    if (!cached) {
      this.validations += 1;
      this.cachingRefusal(hash, () => {
        this.refuseFaults(text);
      });
    }
    const valid = cached ?? { document: parsedDocument, size: sizeOf(parsedDocument) };
    (isOfCaller ? this.#ofCallers : this.#ofStrangers).set(hash, valid);
    return valid.document;
  }

  private refuseFaults(text: string, rules?: readonly ValidationRule[]): void {
    // This parse keeps places in the text, which the cache leaves out to save memory.
    const errors = faultsOf(this.schema, parsed(text, {}), rules);
    if (errors.length > 0) {
      throw new DocumentFault('GRAPHQL_VALIDATION_FAILED', errors.slice(0, MAX_FAULTS));
    }
  }

  private cachingRefusal<T>(hash: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof ApiError || error instanceof DocumentFault) {
        this.#refusals.set(hash, error);
      }
      throw error;
    }
  }
}

function parsed(text: string, options: ParseOptions): DocumentNode {
  try {
    return parseDocument(text, options);
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new DocumentFault('GRAPHQL_PARSE_FAILED', [error]);
  }
}

/** The validation rule for subscriptions throws where a variable decides about a field. */
function faultsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[] | undefined,
): readonly GraphQLError[] {
  try {
    return validate(schema, document, rules, { maxErrors: MAX_FAULTS });
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** Estimates the bytes of a document without places. */
function sizeOf(node: object): number {
  return Object.values(node).reduce<number>((sum, member: unknown) => {
    if (typeof member === 'string') return sum + member.length;
    return sum + (typeof member === 'object' && member !== null ? sizeOf(member) : 0);
  }, BYTES_OF_NODE);
}
