import type { Violation } from '../emitted/operations.js';
import { FINDING_HEAD, findingRows } from './finding-table.js';
import { endsOf, GRANT_HEAD, grantRow, pairs, section } from './grant-tables.js';
import type { List } from './read-pages.js';
import { plain } from './plain.js';
import type { ReachPair, Simulation } from './read-simulation.js';
import { table } from './text-table.js';

/** The effect of changes, as tables: the counts first, then the lists. */
export function simulationReport(simulation: Simulation): string {
  const { gained, lost, identityRouters, serviceRouters, sharedRouters, findings } = simulation;
  const violations = simulation.violations ?? [];
  const { appeared, appearedCount, vanished, vanishedCount } = findings;
  const violatedNow = new Set(violations.map(({ ruleId }) => ruleId));
  const standing = (simulation.violatedRules ?? []).filter(
    ({ ruleId }) => !violatedNow.has(ruleId),
  );
  const parts = [
    counts(simulation),
    pairs('Access gained', gained, GRANT_HEAD, grantRow),
    pairs('Access lost', lost, GRANT_HEAD, grantRow),
    section('Access rules violated', violations.length, RULE_HEAD, violations.map(ruleRow)),
    section('Access rules violated already', standing.length, RULE_HEAD, standing.map(ruleRow)),
    ...both('Routers that identities', identityRouters, ['identity', 'router']),
    ...both('Routers that services', serviceRouters, ['service', 'router']),
    ...both('Common routers that pairs with access', sharedRouters, ['identity', 'service']),
    section('Findings that appear', appearedCount, FINDING_HEAD, findingRows(appeared)),
    section('Findings that vanish', vanishedCount, FINDING_HEAD, findingRows(vanished)),
    'Nothing was written.',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function counts(simulation: Simulation): string {
  const { gained, lost, identityRouters, serviceRouters, sharedRouters } = simulation;
  const { violations, endedSessions, findings } = simulation;
  const reach = [
    ['routers of identities', identityRouters],
    ['routers of services', serviceRouters],
    ['access with a common router', sharedRouters],
  ] as const;
  return table(
    ['', 'gained', 'lost'],
    [
      ['access', gained.totalCount, lost.totalCount],
      ...reach.map(([what, lists]) => [what, lists.gained.totalCount, lists.lost.totalCount]),
      ['findings', findings.appearedCount, findings.vanishedCount],
      ['sessions', '', endedSessions?.totalCount ?? 0],
      ['access rules that hold', '', violations?.length ?? 0],
    ],
  );
}

const RULE_HEAD = ['rule', 'identity', 'type', 'service'];

const ruleRow = (violation: Violation): string[] => [
  plain(violation.ruleName),
  ...endsOf(violation),
];

function both(
  title: string,
  { gained, lost }: Readonly<Record<'gained' | 'lost', List<ReachPair>>>,
  kinds: readonly ('identity' | 'service' | 'router')[],
): string[] {
  const row = (pair: ReachPair): string[] =>
    kinds.map((kind) => plain(pair[`${kind}Name`] ?? pair[`${kind}Id`] ?? ''));
  return [pairs(`${title} gain`, gained, kinds, row), pairs(`${title} lose`, lost, kinds, row)];
}
