import DataLoader from 'dataloader';
import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import {
  violatingPairs,
  violations,
  type AccessRule as Rule,
} from '../../../access/analysis/index.js';
import { accessRules } from '../../../data/rows/policy/index.js';
import type { Page } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import { notFound } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import type { RowOf } from '../../../kernel/declare/rows.js';
import { AccessRule } from '../../../resources/policies/access-rule.js';
import type { PairArguments } from '../../analysis/access-list.js';

import { grantsPage } from '../../analysis/pair-connection.js';
import { permitAnalysis } from '../../analysis/permit-analysis.js';
import { AccessConnection, PairListArgs } from './accesses-types.js';

/** Whether rules hold at present: a write with a reason, or one before the rule, may break them. */
@Resolver(() => AccessRule)
export class AccessRuleStateResolver {
  @Needs(ADMIN)
  @FieldResolver(() => Boolean, { description: 'Whether it holds for all pairs at present.' })
  async holds(
    @Root() { id }: Pick<RowOf<'AccessRule'>, 'id'>,
    @Ctx() ctx: RequestContext,
  ): Promise<boolean> {
    permitAnalysis(ctx);
    return (await loadersOf(ctx).holds.load(id)) ?? false;
  }

  @Needs(ADMIN)
  @FieldResolver(() => AccessConnection, {
    description:
      'The pairs that violate it at present: pairs with access that it forbids, with their paths, or pairs without access that it requires.',
  })
  async violations(
    @Root() { id }: Pick<RowOf<'AccessRule'>, 'id'>,
    @Args(() => PairListArgs) args: PairArguments,
    @Ctx() ctx: RequestContext,
  ): Promise<Page> {
    permitAnalysis(ctx);
    const rule = await loadersOf(ctx).rules.load(id);
    if (!rule) throw notFound('access rule', id);
    const analyst = ctx.modules.analyst;
    const model = analyst.model(ctx);
    return grantsPage(await analyst.run(violatingPairs(model, rule)), model, args);
  }
}

interface Loaders {
  readonly rules: DataLoader<string, Rule | undefined>;
  /** Undefined for a deleted rule. */
  readonly holds: DataLoader<string, boolean | undefined>;
}

/** One statement and one analysis serve all rules of a page. */
const loadersOf = perRequest((ctx): Loaders => {
  const options = { cache: false };
  const rules = new DataLoader((ids: readonly string[]) => readRules(ctx, ids), options);
  const holds = new DataLoader(async (ids: readonly string[]) => {
    const rules = await readRules(ctx, ids);
    const analyst = ctx.modules.analyst;
    const existingRules = rules.filter((rule) => rule !== undefined);
    const broken = await analyst.run(violations(analyst.model(ctx), existingRules));
    const brokenIds = new Set(broken.map(({ ruleId }) => ruleId));
    return rules.map((rule) => rule && !brokenIds.has(rule.id));
  }, options);
  return { rules, holds };
});

async function readRules(
  { store }: RequestContext,
  ids: readonly string[],
): Promise<(Rule | undefined)[]> {
  const rows = await accessRules.byId(store, ids);
  const rules = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => rules.get(id));
}
