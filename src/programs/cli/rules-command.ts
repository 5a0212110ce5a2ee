import { Client } from './client.js';
import type { Run } from './command.js';
import { noticed, usageError } from './command-error.js';
import { connectionOf } from './controller-connection.js';
import { GRANT_HEAD, grantRow, section } from './grant-tables.js';
import {
  limitOf,
  PAGE_VARIABLES,
  pageOf,
  readList,
  type Connection,
  type List,
} from './read-pages.js';
import { counted, plain } from './plain.js';
import { GRANT, type Gained } from './simulation-answer.js';
import { sortedRows, table } from './text-table.js';

interface Rule {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly type: string;
  readonly semantic: string;
  readonly identityRoles: readonly { readonly role: string; readonly name: string }[];
  readonly serviceRoles: readonly { readonly role: string; readonly name: string }[];
  readonly holds: boolean;
}

type Judged = Rule & { readonly violations: List<Gained> };

const RULES = `query (${PAGE_VARIABLES}) {
  ${pageOf(
    'accessRules',
    'orderBy: [{ field: name, direction: asc }]',
    'id name kind type semantic identityRoles: identityRolesDisplay { role name } serviceRoles: serviceRolesDisplay { role name } holds',
  )}
}`;

const VIOLATIONS = `query ($id: ID!, ${PAGE_VARIABLES}) {
  accessRule(id: $id) { ${pageOf('violations', '', GRANT)} }
}`;

/** `overgraph rules` */
export const rulesCommand: Run = async ({ operands, options }, env) => {
  if (operands.length > 0) throw usageError('rules takes no operands');
  const limit = limitOf(options);
  const client = await Client.login(await connectionOf(options, env));
  try {
    const { nodes } = await readList<Rule>(
      async (page) =>
        (await client.run<{ accessRules: Connection<Rule> }>(RULES, page)).accessRules,
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

async function judged(client: Client, rule: Rule, limit: number | undefined): Promise<Judged> {
  if (rule.holds) return { ...rule, violations: { totalCount: 0, nodes: [] } };
  const violations = await readList<Gained>(async (page) => {
    const { accessRule } = await client.run<{
      accessRule: { readonly violations: Connection<Gained> };
    }>(VIOLATIONS, { id: rule.id, ...page });
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
const roles = (list: Rule['identityRoles'], semantic: string): string =>
  list.map(({ name }) => plain(name)).join(semantic === 'AllOf' ? ' and ' : ' or ');
