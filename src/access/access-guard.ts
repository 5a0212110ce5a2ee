import { performance } from 'node:perf_hooks';
import { setImmediate as immediately } from 'node:timers/promises';
import {
  inSlices,
  ModelOverlay,
  ModelSnapshot,
  newViolations,
  violations,
  type AccessModel,
  type AccessRule,
  type RowChange,
  type Sliced,
  type Violation,
  rowChangeOf,
  ruleOf,
  allAccessRules,
  holdAccessRules,
  namesInViolations,
  type ViolationNameRow,
} from '../analysis/index.js';
import { ApiError } from '../base/errors.js';
import { lockUntilCommit } from '../base/advisory-lock.js';
import type { Catalog } from '../kernel/declare/catalog.js';
import { deciding } from '../kernel/declare/decisions.js';
import type { Change, CommitGuard, Transaction } from '../kernel/request/store-port.js';
import type { PolicyIndex } from '../policy/index.js';

export interface GuardParts {
  readonly catalog: Catalog;
  readonly index: PolicyIndex;
  /** The committed changes of these resources that the index may not have yet, one of an entity. */
  readonly recent: (tx: Transaction, resources: readonly string[]) => Promise<readonly Latest[]>;
}

type Latest = Pick<Change, 'resource' | 'id' | 'after'>;

type Made = Omit<Change, 'at'>;

/**
 * Refuses what would violate an access rule. Without rules a write pays one statement for it. With
 * rules, writes that access depends on are judged one at a time, so that no two of them violate
 * together what neither violates alone.
 */
export function accessGuard(parts: GuardParts): CommitGuard {
  return async (tx, changes) => {
    if (!changes.some((change) => concerns(parts.catalog, change))) return;
    const rules = await heldRules(tx, changes);
    if (rules.length === 0) return;
    await lockUntilCommit(tx, ONE_AT_A_TIME);
    const snapshot = new ModelSnapshot(parts.index);
    try {
      const found = await judge(parts, tx, changes, rules, snapshot);
      if (found.length > 0 && !tx.origin.reason) throw await violated(tx, found);
    } finally {
      snapshot.release();
    }
  };
}

/** Any number, as long as it is the same at all controllers of a network. */
const ONE_AT_A_TIME = 6_720_871;

/** Whether access, or what is asked of it, may be other than before. */
function concerns(catalog: Catalog, { resource, before, after }: Made): boolean {
  const { reach, rule } = catalog.find(resource)?.options.decides ?? {};
  const names = reach ?? rule;
  if (!names) return false;
  if (!before || !after) return true;
  return names.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

async function heldRules(tx: Transaction, changes: readonly Made[]): Promise<AccessRule[]> {
  // Whoever writes a rule holds a lock already that keeps out those who judge by the rules.
  const isRuleWriter = changes.some(({ resource }) => resource === 'AccessRule');
  const rows = await (isRuleWriter ? allAccessRules(tx) : holdAccessRules(tx));
  return rows.map(ruleOf);
}

/** Of rules that were there what the changes violate anew; of rules that are written all. */
async function judge(
  { catalog, recent }: GuardParts,
  tx: Transaction,
  changes: readonly Made[],
  rules: readonly AccessRule[],
  snapshot: AccessModel,
): Promise<Violation[]> {
  const before = overlaid(snapshot, rowsOf(await recent(tx, deciding(catalog, 'reach'))));
  const rows = rowsOf(changes);
  const written = new Set(
    changes.filter(({ resource }) => resource === 'AccessRule').map(({ id }) => id),
  );
  const old = rules.filter(({ id }) => !written.has(id));
  const own = rules.filter(({ id }) => written.has(id));
  const after = own.length > 0 ? overlaid(before, rows) : before;
  return [...(await run(newViolations(before, rows, old))), ...(await run(violations(after, own)))];
}

const run = <T>(work: Sliced<T>): Promise<T> =>
  inSlices(work, { yieldNow: immediately, now: () => performance.now() });

const rowsOf = (changes: readonly Latest[]): RowChange[] =>
  changes.flatMap((change) => rowChangeOf(change) ?? []);

function overlaid(model: AccessModel, rows: readonly RowChange[]): AccessModel {
  if (rows.length === 0) return model;
  const overlay = new ModelOverlay(model);
  for (const row of rows) overlay.apply(row);
  return overlay;
}

/** Names what is violated, and by whom: the first of each rule. */
async function violated(tx: Transaction, found: readonly Violation[]): Promise<ApiError> {
  const rows = await namesInViolations(tx, found);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const named = (letter: string, id: string): { id: string; name: string } => ({
    id,
    name: byId.get(`${letter}${id}`)?.name ?? '',
  });
  const shown = found.map(({ ruleId, identityId, serviceId, type }) => ({
    rule: { ...named('r', ruleId), kind: byId.get(`r${ruleId}`)?.kind },
    identity: named('i', identityId),
    service: named('s', serviceId),
    type,
  }));
  return new ApiError('ACCESS_RULE_VIOLATED', {
    kind: 'data',
    message: shown.map(sentence).join('; '),
    data: { violations: shown },
  });
}

interface Shown {
  readonly rule: {
    readonly id: string;
    readonly name: string;
    readonly kind: ViolationNameRow['kind'] | undefined;
  };
  readonly identity: { readonly id: string; readonly name: string };
  readonly service: { readonly id: string; readonly name: string };
  readonly type: string;
}

function sentence({ rule, identity, service, type }: Shown): string {
  const verb = type.toLowerCase();
  const would = rule.kind === 'MUST_REACH' ? `no longer ${verb}` : verb;
  return `access rule ${JSON.stringify(rule.name)}: identity ${JSON.stringify(identity.name)} would ${would} service ${JSON.stringify(service.name)}`;
}
