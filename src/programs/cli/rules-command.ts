import {
  AccessRules,
  AccessRuleViolations,
  type AccessRule,
  type Grant,
  type Semantic,
} from '../emitted/operations.js';
import { Client } from './client.js';
import type { Run } from './command.js';
import { noticed, usageError } from './command-error.js';
import { connectionOf } from './controller-connection.js';
import { GRANT_HEAD, grantRow, section } from './grant-tables.js';
import { limitOf, readList, type List } from './read-pages.js';
import { counted, plain } from './plain.js';
import { sortedRows, table } from './text-table.js';

type Judged = AccessRule & { readonly violations: List<Grant> };

/** `overgraph rules` */
export const rulesCommand: Run = async ({ operands, options }, env) => {
  if (operands.length > 0) throw usageError('rules takes no operands');
  const limit = limitOf(options);
  const client = await Client.login(await connectionOf(options, env));
  try {
    const { nodes } = await readList(
      async (page) => (await client.run(AccessRules, page)).accessRules,
    );
    const rules: Judged[] = [];
    for (const rule of nodes) rules.push(await judged(client, rule, limit));
    console.log(options.json ? JSON.stringify(rules, null, 2) : report(rules));
    const violated = rules.filter(({ holds }) => !holds);
    if (violated.length > 0) throw noticed(`${counted(violated.length, 'access rule')} violated`);
  } finally {
    await client.logout();
  }
};

async function judged(
  client: Client,
  rule: AccessRule,
  limit: number | undefined,
): Promise<Judged> {
  if (rule.holds) return { ...rule, violations: { totalCount: 0, nodes: [] } };
  const violations = await readList(async (page) => {
    const { accessRule } = await client.run(AccessRuleViolations, { id: rule.id, ...page });
    return accessRule.violations;
  }, limit);
  return { ...rule, violations };
}

const HEAD = ['rule', 'holds', 'kind', 'type', 'identities', 'services'];

function report(rules: readonly Judged[]): string {
  if (rules.length === 0) return 'There are no access rules.';
  const rows = rules.map(({ name, holds, kind, type, semantic, identityRoles, serviceRoles }) => [
    plain(name),
    holds ? 'yes' : 'no',
    kind,
    type,
    roles(identityRoles, semantic),
    roles(serviceRoles, semantic),
  ]);
  const total = rules.reduce((sum, { violations }) => sum + violations.totalCount, 0);
  const violations = rules.flatMap(({ name, violations: { nodes } }) =>
    sortedRows(nodes.map((pair) => [plain(name), ...grantRow(pair)])),
  );
  const parts = [
    table(HEAD, rows),
    section('Violations', total, ['rule', ...GRANT_HEAD], violations),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** `#staff or #ops`; entities by name. */
const roles = (list: AccessRule['identityRoles'], semantic: Semantic): string =>
  list.map(({ name }) => plain(name)).join(semantic === 'AllOf' ? ' and ' : ' or ');
