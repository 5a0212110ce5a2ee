import { canonicalJson } from '../../base/canonical-json.js';
import type { JsonObject } from '../../base/row.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { Operation } from '../../kernel/request/store-port.js';
import { defaultOf } from '../../kernel/write/check-input.js';
import { changedFields } from '../../data/changes/index.js';

/** A change of the log that a caller wants to undo. */
export interface AskedChange {
  readonly cursor: string;
  readonly resource: string;
  readonly id: string;
  readonly operation: Operation;
  readonly revision: number;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

/** The changes of one entity that a caller wants to undo, as one. */
export interface LoggedEntity {
  readonly type: string;
  readonly id: string;
  /** Undefined if the type is no resource. */
  readonly resource: Resource | undefined;
  /** The state before the first change; null if there was no entity. */
  readonly target: JsonObject | null;
  /** Whether the log has the whole state. */
  readonly isTargetKnown: boolean;
  readonly last: AskedChange;
  /** The members that the changes altered. */
  readonly altered: readonly string[];
  /** Those of them that other changes in between altered as well. */
  readonly alteredBetween: readonly string[];
  readonly changeIds: readonly string[];
}

/** Combines the changes of each entity, in the order of the first one. */
export function loggedEntities(catalog: Catalog, changes: readonly AskedChange[]): LoggedEntity[] {
  const byEntity = new Map<string, AskedChange[]>();
  for (const change of changes) {
    const key = `${change.resource} ${change.id}`;
    byEntity.set(key, [...(byEntity.get(key) ?? []), change]);
  }
  return [...byEntity.values()].flatMap((all) => combined(catalog, all) ?? []);
}

function combined(catalog: Catalog, all: readonly AskedChange[]): LoggedEntity | undefined {
  // The log follows the beginnings of transactions, revisions follow their writes.
  const ordered = [...all].sort((a, b) => a.revision - b.revision);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (!first || !last) return undefined;
  const resource = catalog.find(first.resource);
  const altered = [...new Set(ordered.flatMap(({ before, after }) => namesIn(before, after)))];
  return {
    type: first.resource,
    id: first.id,
    resource,
    target: first.before,
    isTargetKnown: first.operation === 'create' || first.before?.createdAt !== undefined,
    last,
    altered,
    alteredBetween: altered.filter((name) =>
      ordered.some((change, i) => {
        const next = ordered[i + 1];
        return (
          next !== undefined && !isSame(valueAfter(resource, change, name), next.before?.[name])
        );
      }),
    ),
    changeIds: ordered.map(({ cursor }) => cursor),
  };
}

/** Records of creations leave out values that the table gives. */
export function valueAfter(
  resource: Resource | undefined,
  { after }: AskedChange,
  name: string,
): unknown {
  if (!after || name in after) return after?.[name];
  const attribute = resource?.attributes.get(name);
  return attribute && defaultOf(attribute);
}

const namesIn = (before: JsonObject | null, after: JsonObject | null): string[] =>
  changedFields(before, after).map(({ name }) => name);

/** Whether two values of a member are the same; an absent one is null. */
export const isSame = (a: unknown, b: unknown): boolean =>
  canonicalJson(a ?? null) === canonicalJson(b ?? null);
