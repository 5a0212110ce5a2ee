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

/** What valid documents may take of the memory, by an estimate that is rather too high. */
const BYTES_OF_CALLERS = 32 * 1024 * 1024;
/** Of those that nobody with a session has sent: strangers evict nobody else's. */
const BYTES_OF_STRANGERS = 8 * 1024 * 1024;
const BYTES_OF_NODE = 150;
const REFUSALS = 2_000;
/** More of them would only help to make us look for names that are meant. */
const MOST_FAULTS = 10;

interface Valid {
  readonly document: DocumentNode;
  readonly size: number;
}

const validDocuments = (maxSize: number): LRUCache<string, Valid> =>
  new LRUCache({ maxSize, sizeCalculation: ({ size }) => size });

/**
 * The documents of clients by their texts. Each is parsed and validated once for as long as it is
 * remembered; what is wrong with one is remembered as well. All three memories are bounded.
 */
export class Documents {
  readonly #ofCallers = validDocuments(BYTES_OF_CALLERS);
  readonly #ofStrangers = validDocuments(BYTES_OF_STRANGERS);
  readonly #refusals = new LRUCache<string, ApiError | DocumentFault>({ max: REFUSALS });
  /** Validations so far; tests take differences. */
  validations = 0;

  constructor(private readonly schema: GraphQLSchema) {}

  /**
   * The name of a text.
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
   * The document of a text that came before, which fits the schema.
   * @throws ApiError, DocumentFault as it was refused before
   */
  find(hash: string): DocumentNode | undefined {
    const refusal = this.#refusals.get(hash);
    if (refusal) throw refusal;
    return (this.#ofCallers.get(hash) ?? this.#ofStrangers.get(hash))?.document;
  }

  /**
   * Reads a text that is not known, as far as that costs little.
   * @throws ApiError QUERY_TOO_COMPLEX, DocumentFault
   */
  read(hash: string, text: string): DocumentNode {
    return this.remembering(hash, () => {
      const document = parsed(text, { noLocation: true });
      const shape = shapeOf(document);
      refuseShape(shape);
      if (shape.isCircular) this.refuseFaults(text, [NoFragmentCyclesRule]);
      refuseTooMuch({ ...weigh(document, {}), cost: 0 });
      return document;
    });
  }

  /**
   * Validates a document that was read, unless that was done meanwhile; gives the one to run.
   * @throws DocumentFault
   */
  accept(hash: string, text: string, read: DocumentNode, isOfCaller: boolean): DocumentNode {
    const known = this.#ofCallers.get(hash) ?? this.#ofStrangers.get(hash);
    if (!known) {
      this.validations += 1;
      this.remembering(hash, () => {
        this.refuseFaults(text);
      });
    }
    const valid = known ?? { document: read, size: sizeOf(read) };
    (isOfCaller ? this.#ofCallers : this.#ofStrangers).set(hash, valid);
    return valid.document;
  }

  private refuseFaults(text: string, rules?: readonly ValidationRule[]): void {
    // With places in the text, which are not worth their memory later.
    const errors = faultsOf(this.schema, parsed(text, {}), rules);
    if (errors.length > 0) {
      throw new DocumentFault('GRAPHQL_VALIDATION_FAILED', errors.slice(0, MOST_FAULTS));
    }
  }

  private remembering<T>(hash: string, work: () => T): T {
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

/** The rule of the one field of a subscription throws where a variable decides of it. */
function faultsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[] | undefined,
): readonly GraphQLError[] {
  try {
    return validate(schema, document, rules, { maxErrors: MOST_FAULTS });
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

/** Of a document without places, in bytes. */
function sizeOf(node: object): number {
  return Object.values(node).reduce<number>((sum, member: unknown) => {
    if (typeof member === 'string') return sum + member.length;
    return sum + (typeof member === 'object' && member !== null ? sizeOf(member) : 0);
  }, BYTES_OF_NODE);
}
