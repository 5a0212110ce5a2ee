import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../../kernel/request/context.js';
import { tooManyRequests } from '../../base/errors.js';
import { paceOf, type Pace } from '../../kernel/graph/pace.js';
import { currentRequest, type RequestLimits } from '../../limits/index.js';
import type { CallerRequest, ContextFactory } from '../context-factory.js';
import { Documents } from './documents.js';
import { inputWeight } from './input-weight.js';
import { refuseTooMuch, UNLIMITED_PAGE, weigh } from './limits.js';

/** What a client asks for, whatever the protocol. */
export interface Asked {
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
  /** Whose budgets it is taken from. */
  readonly payer: string;
  /** It runs without a pause: the time of that counts against its payer. */
  readonly isAboutSchema: boolean;
}

export interface AdmissionParts {
  readonly schema: GraphQLSchema;
  readonly contexts: ContextFactory;
  readonly limits: RequestLimits;
}

/** What a document of this cost asks of the process makes everybody else wait. */
const HEAVY = 50_000;

/** All rows of an unlimited list are completed without a pause: up to this cost within 0.5 s. */
const AT_ONCE = 20_000;

/** The cost counts an unlimited list as a page of 500. It may be longer when its rows cost little. */
const mostRows = (cost: number): number =>
  Math.max(UNLIMITED_PAGE, Math.floor((UNLIMITED_PAGE * AT_ONCE) / cost));

/** Looking through the values of an ordinary request takes less. */
const FREE_MILLIS = 0.5;

interface Weighed {
  readonly cost: number;
  readonly isAboutSchema: boolean;
  readonly pace: Pace;
}

/**
 * What stands between any door and the execution of a document, cheapest first: what is known of its
 * text, its size, its weight, a place among those who work, the budget of the caller. Only then it is
 * validated, which counts against the caller.
 */
export class Admission {
  readonly documents: Documents;

  constructor(private readonly parts: AdmissionParts) {
    this.documents = new Documents(parts.schema);
  }

  /** @throws ApiError, DocumentFault */
  async admit(request: CallerRequest, asked: Asked): Promise<Admitted> {
    const { documents } = this;
    const { contexts, limits } = this.parts;
    const text = asked.query;
    const hash = documents.hashOf(text);
    const address = limits.payer(undefined, request.socket.remoteAddress ?? '');
    const known = documents.find(hash);
    const read = known ?? limits.prepare(address, () => documents.read(hash, text));
    const weighed = (): Weighed => this.weighed(read, asked);
    const { cost, pace, isAboutSchema } = hasInputs(asked)
      ? limits.prepare(address, weighed, FREE_MILLIS)
      : weighed();
    await currentRequest()?.enter(pace);
    const ctx = await contexts.create(request, { mostRows: mostRows(cost) });
    const payer = limits.payer(ctx.caller?.identityId, ctx.address);
    const wait = limits.spend(payer, cost);
    if (wait > 0) throw tooManyRequests(wait);
    const accept = (): DocumentNode => documents.accept(hash, text, read, ctx.caller !== undefined);
    const document = known ? accept() : limits.prepare(payer, accept);
    return { ctx, document, text, cost, payer, isAboutSchema };
  }

  private weighed(document: DocumentNode, asked: Asked): Weighed {
    const { schema } = this.parts;
    const { variables, operationName } = asked;
    const weight = weigh(document, variables);
    const cost = weight.cost + inputWeight(schema, document, variables);
    refuseTooMuch({ ...weight, cost });
    const pace: Pace =
      cost > HEAVY ? { lane: 'background' } : paceOf(schema, document, operationName);
    return { cost, pace, isAboutSchema: weight.isAboutSchema };
  }
}

/** Whether values of variables may be many. */
const hasInputs = ({ variables }: Asked): boolean =>
  Object.values(variables).some((value) => typeof value === 'object' && value !== null);
