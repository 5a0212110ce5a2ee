import { findings } from './findings.js';
import { findingsWithout, hasFinding } from './finding-id.js';
import type { FoundFinding } from './finding.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { notFound } from '../../../base/errors.js';
import type { Transaction } from '../../../kernel/request/store-port.js';
import { changeIn, createIn, deleteIn } from '../../../kernel/write/write.js';
import { findingFacts } from './finding-facts.js';
import { findingMutes } from '../../../data/rows/finding-mute/index.js';

/** The ids of the mutes that are in force, by finding id. */
export type FindingMutes = ReadonlyMap<string, string>;

export async function mutesInForce({ store, now }: RequestContext): Promise<FindingMutes> {
  const mutes = await findingMutes.inForce(store, now());
  return new Map(mutes.map(({ id, findingId }) => [findingId, id]));
}

/** Gives the findings without a mute. */
export const withoutMuted = (
  ctx: RequestContext,
  all: readonly FoundFinding[],
  mutes: FindingMutes,
): Promise<readonly FoundFinding[]> =>
  ctx.modules.analyst.run(findingsWithout(all, new Set(mutes.keys())));

const presentFindings = async (ctx: RequestContext): Promise<FoundFinding[]> => {
  const { analyst } = ctx.modules;
  return analyst.run(findings(analyst.model(ctx), await findingFacts(ctx)));
};

/** Gives the findings of the present network that are not muted. */
export const unmutedFindings = async (ctx: RequestContext): Promise<readonly FoundFinding[]> =>
  withoutMuted(ctx, await presentFindings(ctx), await mutesInForce(ctx));

/**
 * Refuses an id that no finding of the present network has. It analyses the whole network, so it
 * runs outside of transactions.
 */
export async function mustBeFinding(ctx: RequestContext, id: string): Promise<void> {
  const all = await presentFindings(ctx);
  if (!(await ctx.modules.analyst.run(hasFinding(all, id)))) throw notFound('finding', id);
}

export interface NewMute {
  readonly findingId: string;
  readonly reason: string;
  readonly until: Date | null;
}

/** Mutes a finding, or updates the reason and the end of its mute; gives the id of the mute. */
export async function muteIn(ctx: RequestContext, tx: Transaction, mute: NewMute): Promise<string> {
  const resource = ctx.catalog.resources.FindingMute;
  const [existingMute] = await tx.find(resource, { findingId: mute.findingId });
  if (!existingMute) return createIn(ctx, tx, resource, { ...mute });
  await changeIn(ctx, tx, resource, 'replace', existingMute.id, { ...mute });
  return existingMute.id;
}

/** Ends the mute of a finding, even if the finding has disappeared. */
export async function unmuteIn(ctx: RequestContext, tx: Transaction, id: string): Promise<void> {
  const resource = ctx.catalog.resources.FindingMute;
  const mutes = await tx.find(resource, { findingId: id });
  if (mutes.length === 0) throw notFound('findingMute', id);
  await deleteIn(ctx, tx, resource, mutes);
}
