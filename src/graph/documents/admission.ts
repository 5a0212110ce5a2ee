import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../kernel/request/context.js';
import { tooManyRequests } from '../../base/errors.js';
import { declaredCost, paceOf, type Pace } from '../../kernel/graph/pace.js';
import { limitOf, type RequestLimits } from '../../requests/limits/index.js';
import type { ContextFactory } from '../context-factory.js';
import type { CallerRequest } from '../request-sessions.js';
import { Documents } from './documents.js';
import { inputWeight } from './input-weight.js';
import { refuseTooMuch, UNLIMITED_PAGE, weigh } from './limits.js';
import { merged } from '../../base/merged.js';

/** A query of a client, over any protocol. */
export interface GraphQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName?: string | undefined;
}

/** A document that may run. */
export interface Admitted {
  readonly ctx: RequestContext;
  readonly document: DocumentNode;
  readonly text: string;
  readonly cost: number;
  /** The identity or address whose budgets pay for it. */
  readonly payer: string;
  /** It runs without a pause: the time of that counts against its payer. */
  readonly isAboutSchema: boolean;
}

export interface AdmissionDependencies {
  readonly schema: GraphQLSchema;
  readonly contexts: ContextFactory;
  readonly limits: RequestLimits;
}

/** Above this cost, a document delays the whole process noticeably. */
const BACKGROUND_COST = 50_000;

/** Rows of an unlimited list are completed without a pause: up to this cost, that takes under 0.5 s. */
const UNPAUSED_COST = 20_000;

/** The cost counts an unlimited list as a page of 500; a list with cheap rows may be longer. */
const mostRows = (cost: number): number =>
  Math.max(UNLIMITED_PAGE, Math.floor((UNLIMITED_PAGE * UNPAUSED_COST) / cost));

/** Reading the values of an ordinary request takes less. */
const FREE_MILLIS = 0.5;

interface DocumentWeight {
  readonly cost: number;
  /** The part of it that rows may repeat: none repeats what operations declare. */
  readonly rowsCost: number;
  readonly isAboutSchema: boolean;
  readonly pace: Pace;
}

/**
 * Admits a document to execution. The checks run from the cheapest to the dearest: the cache of its
 * text, its size, its cost, a place in the queue, the budget of the caller. Validation comes last,
 * and its time counts against the caller.
 */
export class Admission {
  readonly documents: Documents;

  constructor(private readonly dependencies: AdmissionDependencies) {
    this.documents = new Documents(dependencies.schema);
  }

  /** @throws ApiError, DocumentFault */
  async admit(request: CallerRequest, query: GraphQuery): Promise<Admitted> {
    const { documents } = this;
    const { contexts, limits } = this.dependencies;
    const text = query.query;
    const hash = documents.hashOf(text);
    const address = limits.payer(undefined, request.socket.remoteAddress ?? '');
    const cachedDocument = documents.find(hash);
    const parsedDocument =
      cachedDocument ?? limits.prepare(address, () => documents.read(hash, text));
    const weighDocument = (): DocumentWeight => this.weighed(parsedDocument, query);
    const { cost, rowsCost, pace, isAboutSchema } = hasLargeVariables(query)
      ? limits.prepare(address, weighDocument, FREE_MILLIS)
      : weighDocument();
    await limitOf(request)?.enter(pace);
    const ctx = await contexts.create(request, { mostRows: mostRows(rowsCost) });
    const payer = limits.payer(ctx.caller?.identityId, ctx.address);
    const wait = limits.spend(payer, cost);
    if (wait > 0) throw tooManyRequests(wait);
    const accept = (): DocumentNode =>
      documents.accept(hash, text, parsedDocument, ctx.caller !== undefined);
    const document = cachedDocument ? accept() : limits.prepare(payer, accept);
    return { ctx, document, text, cost, payer, isAboutSchema };
  }

  private weighed(document: DocumentNode, query: GraphQuery): DocumentWeight {
    const { schema } = this.dependencies;
    const { variables, operationName } = query;
    const weight = weigh(document, variables);
    const rowsCost = weight.cost + inputWeight(schema, document, variables);
    const cost = rowsCost + declaredCost(schema, document, variables);
    refuseTooMuch(merged(weight, { cost }));
    const declaredPace = paceOf(schema, document, operationName);
    const pace: Pace =
      cost > BACKGROUND_COST ? { ...declaredPace, lane: 'background' } : declaredPace;
    return { cost, rowsCost, pace, isAboutSchema: weight.isAboutSchema };
  }
}

/** Whether variables have values that may be large. */
const hasLargeVariables = ({ variables }: GraphQuery): boolean =>
  Object.values(variables).some((value) => typeof value === 'object' && value !== null);
