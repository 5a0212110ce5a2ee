import {
  ModelOverlay,
  ModelSnapshot,
  newViolations,
  violations,
  type AccessModel,
  type AccessRule,
  type RowChange,
  type Violation,
  rowChangeOf,
} from '../analysis/index.js';
import { ApiError } from '../../base/errors.js';
import { lockUntilCommit } from '../../base/advisory-lock.js';
import { accessRules } from '../../data/rows/policy/index.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { deciding } from '../../kernel/declare/decisions.js';
import type { CommitGuard, PendingChange, Transaction } from '../../kernel/request/store-port.js';
import type { PolicyIndex } from '../../kernel/policy/index.js';
import type { LatestState, RecentChanges } from './latest-states.js';
import { inSlices } from '../../base/slices.js';

export interface AccessGuardDependencies {
  readonly catalog: Catalog;
  readonly index: PolicyIndex;
  readonly recent: RecentChanges;
}

/**
 * Refuses a write that would violate an access rule. Without rules this costs a write one
 * statement. With rules, writes that affect access are checked one at a time, since two writes can
 * violate a rule together that neither violates alone.
 */
export function accessGuard(dependencies: AccessGuardDependencies): CommitGuard {
  return async (tx, changes) => {
    if (!changes.some((change) => concerns(dependencies.catalog, change))) return;
    const rules = await lockedRules(tx, changes);
    if (rules.length === 0) return;
    await lockUntilCommit(tx, CHECK_LOCK);
    const snapshot = new ModelSnapshot(dependencies.index);
    try {
      const violationsFound = await judge(dependencies, tx, changes, rules, snapshot);
      if (violationsFound.length > 0 && !tx.origin.overridesRules)
        throw await violationError(tx, rules, violationsFound);
    } finally {
      snapshot.release();
    }
  };
}

/** The number of an advisory lock, the same for all controllers. */
const CHECK_LOCK = 6_720_871;

/** Whether a change may alter access or an access rule. */
function concerns(catalog: Catalog, { resource, before, after }: PendingChange): boolean {
  const { reach, rule } = catalog.find(resource)?.options.decides ?? {};
  const names = reach ?? rule;
  if (!names) return false;
  if (!before || !after) return true;
  return names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

type NamedRule = AccessRule & { readonly name: string };

function lockedRules(tx: Transaction, changes: readonly PendingChange[]): Promise<NamedRule[]> {
  // A transaction that writes a rule already has a lock that keeps other checks waiting.
  const isRuleWriter = changes.some(({ resource }) => resource === 'AccessRule');
  return isRuleWriter ? accessRules.all(tx) : accessRules.hold(tx);
}

/** Finds new violations of existing rules, and all violations of new or changed rules. */
async function judge(
  { catalog, recent }: AccessGuardDependencies,
  tx: Transaction,
  changes: readonly PendingChange[],
  rules: readonly AccessRule[],
  snapshot: AccessModel,
): Promise<Violation[]> {
  const before = overlaid(snapshot, rowsOf(await recent(tx, deciding(catalog, 'reach'))));
  const rows = rowsOf(changes);
  const written = new Set(
    changes.filter(({ resource }) => resource === 'AccessRule').map(({ id }) => id),
  );
  const existingRules = rules.filter(({ id }) => !written.has(id));
  const writtenRules = rules.filter(({ id }) => written.has(id));
  const after = writtenRules.length > 0 ? overlaid(before, rows) : before;
  return [
    ...(await inSlices(newViolations(before, rows, existingRules))),
    ...(await inSlices(violations(after, writtenRules))),
  ];
}

const rowsOf = (changes: readonly LatestState[]): RowChange[] =>
  changes.flatMap((change) => rowChangeOf(change) ?? []);

function overlaid(model: AccessModel, rows: readonly RowChange[]): AccessModel {
  if (rows.length === 0) return model;
  const overlay = new ModelOverlay(model);
  for (const row of rows) overlay.apply(row);
  return overlay;
}

/** Makes the error for violations: the first of each rule, with names. */
async function violationError(
  tx: Transaction,
  rules: readonly NamedRule[],
  violationsFound: readonly Violation[],
): Promise<ApiError> {
  const names = await accessRules.namesInViolations(tx, violationsFound);
  const withName = (kind: 'identity' | 'service', id: string): Named => ({
    id,
    name: names.find((end) => end.kind === kind && end.id === id)?.name ?? '',
  });
  const shown = violationsFound.map(({ ruleId, identityId, serviceId, type }) => {
    const rule = rules.find(({ id }) => id === ruleId);
    return {
      rule: { id: ruleId, name: rule?.name ?? '', kind: rule?.kind },
      identity: withName('identity', identityId),
      service: withName('service', serviceId),
      type,
    };
  });
  return new ApiError('ACCESS_RULE_VIOLATED', {
    kind: 'data',
    message: shown.map(sentence).join('; '),
    data: { violations: shown },
  });
}

interface Named {
  readonly id: string;
  readonly name: string;
}

interface NamedViolation {
  readonly rule: Named & { readonly kind: AccessRule['kind'] | undefined };
  readonly identity: Named;
  readonly service: Named;
  readonly type: string;
}

function sentence({ rule, identity, service, type }: NamedViolation): string {
  const verb = type.toLowerCase();
  // A new rule may require access that never was.
  const would = rule.kind === 'MUST_REACH' ? `not ${verb}` : verb;
  return `access rule ${JSON.stringify(rule.name)}: identity ${JSON.stringify(identity.name)} would ${would} service ${JSON.stringify(service.name)}`;
}
