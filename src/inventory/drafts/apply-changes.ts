import type { ModelChange } from '../../access/analysis/index.js';
import { canonicalJson } from '../../base/canonical-json.js';
import { failure, invalidField, placedAt } from '../../base/errors.js';
import { checkedReason } from '../../base/reason.js';
import type { JsonObject } from '../../base/row.js';
import { changedFields, type ChangedValue } from '../../data/changes/index.js';
import { isShown } from '../../kernel/declare/attribute.js';
import { may, permits } from '../../kernel/declare/permissions.js';
import type { Resource } from '../../kernel/declare/resource.js';
import { actionOf } from '../../kernel/declare/verbs.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { LoggedWrite, Origin, PendingChange } from '../../kernel/request/store-port.js';
import { originOf } from '../../kernel/write/write.js';
import { refuseTooMany } from './bounds.js';
import { checkRevisionsIn, permitRevisions, type ExpectedRevision } from './expected-revisions.js';
import {
  ownRecord,
  placeOf,
  resourceOf,
  writeChangesIn,
  type WrittenChange,
} from './write-changes.js';

/** A list of changes, with the conditions of its application. */
export interface Application {
  readonly changes: readonly ModelChange[];
  readonly ifRevisions: readonly ExpectedRevision[];
  /** The reason for the change log; it does not override access rules. */
  readonly reason: string | undefined;
}

/** A change that was made. */
export interface AppliedChange {
  readonly resource: Resource;
  readonly operation: ModelChange['operation'];
  readonly type: ModelChange['type'];
  readonly entityId: string;
  /** The revision of the entity after the change; null for a deleted one. */
  readonly revision: number | null;
  /** The members of the entity that the change altered. */
  readonly fields: readonly ChangedValue[];
  /** The ids of its records in the change log, with those of dependent entities. */
  readonly changeIds: readonly string[];
}

/**
 * Makes a list of changes in one transaction, or none of them.
 * @throws ApiError as the writes would; fields begin with the place, as in `changes[2].input.name`
 */
export async function applyChanges(
  ctx: RequestContext,
  { changes, ifRevisions, reason }: Application,
): Promise<AppliedChange[]> {
  refuseTooMany('changes', changes);
  refuseTooMany('ifRevisions', ifRevisions);
  permitWrites(ctx, changes);
  permitRevisions(ctx, ifRevisions, changes);
  const { result, changeIds } = await ctx.store.writeLogged(originWith(ctx, reason), async (tx) => {
    await checkRevisionsIn(ctx, tx, ifRevisions);
    return writeChangesIn(ctx, tx, changes);
  });
  return result.map((change, i) => applied(change, changes[i]?.type ?? '', changeIds));
}

function permitWrites(ctx: RequestContext, changes: readonly ModelChange[]): void {
  for (const [i, { operation, type }] of changes.entries()) {
    const { permission } = resourceOf(ctx.catalog, type).options;
    if (permits(ctx.caller, may(permission, actionOf(operation)))) continue;
    const place = placeOf(i);
    const reason = `${place}: the session may not ${operation} it`;
    throw placedAt(place, failure('UNAUTHORIZED', reason));
  }
}

/** A reason overrides access rules only if the header gives it. */
function originWith(ctx: RequestContext, text: string | undefined): Origin {
  const reason = text === undefined ? undefined : checkedReason('reason', text);
  const origin = originOf(ctx);
  if (reason === undefined) return origin;
  if (ctx.reason !== undefined && ctx.reason !== reason) {
    throw invalidField('reason', 'the header that overrides access rules has another one', reason);
  }
  return { ...origin, reason };
}

function applied(
  written: WrittenChange,
  type: ModelChange['type'],
  changeIds: LoggedWrite<unknown>['changeIds'],
): AppliedChange {
  const { resource, operation, id, records } = written;
  const own = ownRecord(written);
  return {
    resource,
    operation,
    type,
    entityId: id,
    revision: own?.after ? own.revision : null,
    fields: own ? shownFields(resource, own) : [],
    changeIds: records.flatMap((record) => changeIds.get(record) ?? []),
  };
}

function shownFields(resource: Resource, { before, after }: PendingChange): ChangedValue[] {
  const shown = (state: JsonObject | null): JsonObject | null =>
    state && canonicalState(resource, state);
  return changedFields(shown(before), shown(after));
}

/** The attributes that every reader of the entity sees, as JSON with ordered members. */
function canonicalState({ attributes }: Resource, state: JsonObject): JsonObject {
  const visible = Object.entries(state).filter(([name]) => {
    const attribute = attributes.get(name);
    return attribute !== undefined && isShown(attribute) && attribute.secret === undefined;
  });
  return JSON.parse(canonicalJson(Object.fromEntries(visible))) as JsonObject;
}
