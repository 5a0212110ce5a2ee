import {
  accessEffect,
  findingId,
  type AccessEffect,
  type AccessModel,
  type Finding,
  type WhatIfChange,
  type Analyst,
  type Naming,
  type FindingMutes,
  proposed,
  type ModelChange,
} from '../../analysis/index.js';
import { decodeCursor, Page, type PageNode } from '../../kernel/read/connection.js';
import { invalidField } from '../../base/errors.js';
import { parseJson } from '../../base/json-text.js';
import { windowOf } from '../../kernel/read/listing.js';
import type { PairArguments } from './access-list.js';

/** Findings as the graph shows them. */

type Kind = Finding['entities'][number]['kind'];

/** What a finding is about, and how it is named. */
export interface ShownEntity extends Naming {
  readonly kind: Kind;
  readonly entityId: string;
}

/** What proposed changes would do to access, worked out when it is asked for. */
export interface Effective {
  readonly effect: () => Promise<AccessEffect>;
}

export type ShownChange = Omit<ModelChange, 'id'> &
  Effective & { readonly entityId: string | null };

export type ShownFinding = Omit<Finding, 'changes' | 'entities'> &
  Effective & {
    /** Of the network as it is now alone: caches of clients keep one object for an id. */
    readonly id: string | null;
    readonly findingId: string;
    readonly muteId: string | null;
    readonly changes: readonly ShownChange[];
    readonly entities: readonly ShownEntity[];
  };

/** Where a finding was made, and how what it is about is named. */
export interface FindingPlace extends Naming {
  readonly analyst: Analyst;
  readonly model: AccessModel;
  /** Of the network as it is now alone. */
  readonly mutes?: FindingMutes | undefined;
}

/** Works the effect out when it is asked for, and once. */
export function effectOnce(work: Effective['effect']): Effective['effect'] {
  let known: Promise<AccessEffect> | undefined;
  return () => (known ??= work());
}

/** A change that is proposed, with what it would do made by itself. */
export function shownChange(change: WhatIfChange, effect: Effective['effect']): ShownChange {
  const { id = null, ...others } = proposed(change);
  return { ...others, entityId: id, effect };
}

export function shownFinding(
  finding: Finding,
  { analyst, model, mutes, ...naming }: FindingPlace,
): ShownFinding {
  const effectOf = (changes: readonly WhatIfChange[]): Effective['effect'] =>
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
    entities: finding.entities.map(({ kind, id }) => ({ kind, entityId: id, ...naming })),
    changes: finding.changes.map((change) =>
      shownChange(change, isOne ? effect : effectOf([change])),
    ),
  };
}

/** A page of them, in an order in which each has its place whether or not it is still there. */
export function findingPage(
  found: readonly Finding[],
  compare: (a: Finding, b: Finding) => number,
  args: PairArguments,
  place: FindingPlace,
): Page {
  const window = windowOf({}, args);
  const { limit, offset } = window;
  const after = args.after ? placeOf(args.after) : undefined;
  const follows = after ? found.filter((finding) => compare(finding, after) > 0) : found;
  const upTo = limit === 'none' ? undefined : offset + limit + 1;
  const nodes = follows.slice(offset, upTo).map((finding): ShownFinding & PageNode => ({
    ...shownFinding(finding, place),
    '#s0': JSON.stringify(keyOf(finding)),
  }));
  return new Page(nodes, found.length, window, 1, { after: args.after });
}

/** Members that are absent stay so in JSON. */
const keyOf = ({ kind, entities, side, about, similarTo, attributesOf }: Finding): object => ({
  kind,
  entities: entities.slice(0, 1),
  side,
  about,
  similarTo,
  attributesOf,
});

function placeOf(cursor: string): Finding {
  const [key] = decodeCursor('after', cursor, 1);
  try {
    const finding = parseJson(String(key)) as Finding;
    if (Array.isArray(finding.entities)) return finding;
  } catch {
    // falls through to the refusal
  }
  throw invalidField('after', 'not a cursor of findings', cursor);
}
