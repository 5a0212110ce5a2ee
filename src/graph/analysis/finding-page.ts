import {
  accessEffect,
  findingId,
  type AccessEffect,
  type AccessModel,
  type Finding,
  type FindingEntity,
  type FoundFinding,
  type WhatIfChange,
  type Analyst,
  type NameSources,
  type FindingMutes,
  proposed,
} from '../../access/analysis/index.js';
import { decodeCursor, Page, type PageNode } from '../../kernel/read/connection.js';
import { invalidField } from '../../base/errors.js';
import type { JsonObject } from '../../base/row.js';
import { parseJson } from '../../base/json-text.js';
import { windowOf } from '../../kernel/read/listing.js';
import type { PairArguments } from './access-list.js';

/** The view of findings in the graph. */

/** An entity of a finding, with the sources of its name. */
export type ShownEntity = FindingEntity & NameSources;

/** The effect of proposed changes on access, computed on demand. */
export interface WithEffect {
  readonly effect: () => Promise<AccessEffect>;
}

export type ShownChange = Omit<ReturnType<typeof proposed>, 'id' | 'input'> &
  WithEffect & { readonly entityId: string; readonly input: JsonObject | null };

export type ShownFinding = Omit<FoundFinding, 'changes' | 'entities'> &
  Pick<Finding, 'id' | 'findingId'> &
  WithEffect & {
    readonly muteId: string | null;
    readonly changes: readonly ShownChange[];
    readonly entities: readonly ShownEntity[];
  };

/** The analysis of a finding, with the sources of names. */
export interface FindingContext extends NameSources {
  readonly analyst: Analyst;
  readonly model: AccessModel;
  /** Absent except for the present network. */
  readonly mutes?: FindingMutes | undefined;
}

/** Computes the effect on demand, and once. */
export function effectOnce(work: WithEffect['effect']): WithEffect['effect'] {
  let cachedEffect: Promise<AccessEffect> | undefined;
  return () => (cachedEffect ??= work());
}

/** Makes the view of a proposed change with its own effect. */
export function shownChange(change: WhatIfChange, effect: WithEffect['effect']): ShownChange {
  const { id, input = null, ...members } = proposed(change);
  return { ...members, entityId: id, input, effect };
}

export function shownFinding(
  finding: FoundFinding,
  { analyst, model, mutes, ...nameSources }: FindingContext,
): ShownFinding {
  const effectOf = (changes: readonly WhatIfChange[]): WithEffect['effect'] =>
    effectOnce(() => analyst.run(accessEffect(model, changes)));
  const effect = effectOf(finding.changes);
  const isOne = finding.changes.length === 1;
  const id = findingId(finding);
  return {
    ...finding,
    id: mutes ? id : null,
    findingId: id,
    muteId: mutes?.get(id) ?? null,
    effect,
    entities: finding.entities.map(({ kind, id }) => ({ kind, entityId: id, ...nameSources })),
    changes: finding.changes.map((change) =>
      shownChange(change, isOne ? effect : effectOf([change])),
    ),
  };
}

/** Makes a page of findings. Their order has a place for a finding that no longer exists. */
export function findingPage(
  findings: readonly FoundFinding[],
  compare: (a: FoundFinding, b: FoundFinding) => number,
  args: PairArguments,
  context: FindingContext,
): Page {
  const window = windowOf({}, args);
  const { limit, offset } = window;
  const after = args.after ? placeOf(args.after) : undefined;
  const following = after ? findings.filter((finding) => compare(finding, after) > 0) : findings;
  const upTo = limit === 'none' ? undefined : offset + limit + 1;
  const nodes = following.slice(offset, upTo).map((finding): ShownFinding & PageNode => ({
    ...shownFinding(finding, context),
    '#s0': JSON.stringify(keyOf(finding)),
  }));
  return new Page(nodes, findings.length, window, 1, { after: args.after });
}

/** JSON omits absent members. */
const keyOf = ({ kind, entities, side, about, similarTo, attributesOf }: FoundFinding): object => ({
  kind,
  entities: entities.slice(0, 1),
  side,
  about,
  similarTo,
  attributesOf,
});

function placeOf(cursor: string): FoundFinding {
  const [key] = decodeCursor('after', cursor, 1);
  try {
    const finding = parseJson(String(key)) as FoundFinding;
    if (Array.isArray(finding.entities)) return finding;
  } catch {
    // falls through to the refusal
  }
  throw invalidField('after', 'not a cursor of findings', cursor);
}
