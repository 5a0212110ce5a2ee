import type { NextFunction, Request, RequestHandler, Response } from 'express';
import {
  GraphQLError,
  parse,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { ApiError, failure } from '../kernel/errors.js';
import { formatApiError } from './format-error.js';

/*
 * What a document may ask, checked on its text alone: before it is validated or executed, so that a
 * refusal costs next to nothing. The numbers leave room for introspection and for wide dashboards.
 */
const MAX_TOKENS = 2_000;
const MAX_DEPTH = 16;
const MAX_ALIASES = 100;
const MAX_COST = 250_000;
const DEFAULT_PAGE = 25;
const UNLIMITED_PAGE = 500;

export interface Weight {
  /** Fields that may come back at the most: one per field, times the sizes of the pages around it. */
  readonly cost: number;
  readonly depth: number;
  readonly aliases: number;
}

type Variables = Readonly<Record<string, unknown>>;

/** Weighs a document. Linear in its length, fragments included. */
export function weigh(document: DocumentNode, variables: Variables): Weight {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const d of document.definitions) {
    if (d.kind === 'FragmentDefinition') fragments.set(d.name.value, d);
  }
  const weighed = new Map<string, Weight>();
  const ofFragment = (name: string): Weight => {
    const known = weighed.get(name);
    if (known) return known;
    // A fragment that leads back to itself weighs nothing here; validation refuses it.
    weighed.set(name, NOTHING);
    const definition = fragments.get(name);
    const weight = definition ? ofSet(definition.selectionSet) : NOTHING;
    weighed.set(name, weight);
    return weight;
  };
  const ofField = (field: FieldNode): Weight => {
    const below = field.selectionSet ? ofSet(field.selectionSet) : NOTHING;
    return {
      cost: 1 + below.cost * pageSize(field, variables),
      depth: 1 + below.depth,
      aliases: below.aliases + (field.alias ? 1 : 0),
    };
  };
  const ofSet = (set: SelectionSetNode): Weight =>
    set.selections
      .map((node) => {
        if (node.kind === 'Field') return ofField(node);
        return node.kind === 'InlineFragment'
          ? ofSet(node.selectionSet)
          : ofFragment(node.name.value);
      })
      .reduce(together, NOTHING);
  return document.definitions
    .map((d) => (d.kind === 'OperationDefinition' ? ofSet(d.selectionSet) : NOTHING))
    .reduce(together, NOTHING);
}

const NOTHING: Weight = { cost: 0, depth: 0, aliases: 0 };

const together = (a: Weight, b: Weight): Weight => ({
  cost: a.cost + b.cost,
  depth: Math.max(a.depth, b.depth),
  aliases: a.aliases + b.aliases,
});

function pageSize(field: FieldNode, variables: Variables): number {
  const isPage = field.selectionSet?.selections.some(
    (s) => s.kind === 'Field' && (s.name.value === 'nodes' || s.name.value === 'edges'),
  );
  const sizes = (field.arguments ?? []).flatMap(({ name, value }) => {
    if (!['first', 'last', 'limit'].includes(name.value)) return [];
    if (value.kind === 'IntValue') return [Number(value.value)];
    return value.kind === 'Variable' ? [Number(variables[value.name.value] ?? DEFAULT_PAGE)] : [];
  });
  if (sizes.length === 0) return isPage ? DEFAULT_PAGE : 1;
  const size = Math.max(...sizes.map((s) => (s < 0 || Number.isNaN(s) ? UNLIMITED_PAGE : s)));
  return Math.min(Math.max(size, 1), UNLIMITED_PAGE);
}

/** Refuses what is too much, and leaves the cost in `res.locals.cost`. */
export const admit =
  (): RequestHandler =>
  (req: Request, res: Response, next: NextFunction): void => {
    const { query, variables } = (req.body ?? req.query) as {
      query?: unknown;
      variables?: unknown;
    };
    if (typeof query !== 'string') {
      next();
      return;
    }
    try {
      const weight = weigh(
        parse(query, { maxTokens: MAX_TOKENS, noLocation: true }),
        typeof variables === 'object' && variables !== null ? (variables as Variables) : {},
      );
      refuseTooMuch(weight);
      (res.locals as { cost?: number }).cost = weight.cost;
      next();
    } catch (error) {
      if (error instanceof GraphQLError && !/tokens/.test(error.message)) {
        // A text that does not parse is Apollo's to report.
        next();
        return;
      }
      refuse(
        res,
        error instanceof GraphQLError ? failure('QUERY_TOO_COMPLEX', error.message) : error,
      );
    }
  };

function refuseTooMuch({ cost, depth, aliases }: Weight): void {
  const limits: readonly (readonly [string, number, number])[] = [
    ['depth', depth, MAX_DEPTH],
    ['number of aliases', aliases, MAX_ALIASES],
    ['cost', cost, MAX_COST],
  ];
  for (const [what, is, most] of limits) {
    if (is > most) {
      throw failure(
        'QUERY_TOO_COMPLEX',
        `the ${what} is ${String(is)}, at most ${String(most)} is allowed`,
      );
    }
  }
}

function refuse(res: Response, error: unknown): void {
  const refusal = error instanceof ApiError ? error : new ApiError('UNHANDLED');
  res.status(refusal.status).json({
    errors: [formatApiError({ message: '' }, refusal, '')],
  });
}
