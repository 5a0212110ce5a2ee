import { Reach, type AccessType, type Grant } from '../emitted/operations.js';
import { Client } from './client.js';
import type { Run } from './command.js';
import { usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import type { CommandLine } from './options.js';
import { theRest } from './grant-tables.js';
import { namedEntity, type Named } from './named.js';
import { limitOf, readList, type List } from './read-pages.js';
import { counted, plain, quoted } from './plain.js';
import { sortedRows, table } from './text-table.js';
import { roleText } from './why-report.js';

/** An end of a pair. */
type End = 'identity' | 'service';

/** `overgraph who-reaches <service>` */
export const whoReachesCommand: Run = (line, env) => reach('service', line, env);

/** `overgraph reaches <identity>` */
export const reachesCommand: Run = (line, env) => reach('identity', line, env);

/** Lists the other ends of the pairs that one end is in. */
async function reach(
  kind: End,
  { command = '', operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const [name, ...others] = operands;
  if (name === undefined || others.length > 0) {
    throw usageError(`${command} takes ${kind === 'service' ? 'a service' : 'an identity'}`);
  }
  const limit = limitOf(options);
  const type = options.bind ? 'Bind' : 'Dial';
  const client = await Client.login(await connectionOf(options, env));
  try {
    const end = await namedEntity(client, kind, name);
    const pairs = await readList(async (page) => {
      const variables = { [`${kind}Id` as const]: end.id, type, ...page } as const;
      return (await client.run(Reach, variables)).accesses;
    }, limit);
    console.log(
      options.json
        ? JSON.stringify({ [kind]: end, type, ...pairs }, null, 2)
        : report(kind, end, type, pairs),
    );
  } finally {
    await client.logout();
  }
}

function report(kind: End, end: Named, type: AccessType, pairs: List<Grant>): string {
  const { nodes, totalCount } = pairs;
  const verb = `may ${type.toLowerCase()}`;
  const name = quoted(end.name);
  const sum =
    kind === 'service'
      ? `${totalCount === 0 ? 'No identity' : counted(totalCount, 'identity', 'identities')} ${verb} ${name}.`
      : `${name} ${verb} ${totalCount === 0 ? 'no service' : counted(totalCount, 'service')}.`;
  if (totalCount === 0) return sum;
  const other = kind === 'service' ? 'identity' : 'service';
  const rows = nodes.map((pair) => [
    plain(pair[`${other}Name`] ?? pair[`${other}Id`]),
    reasons(pair),
  ]);
  return `${table([other, 'policies'], sortedRows(rows))}${theRest(totalCount, nodes.length)}\n\n${sum}`;
}

/** Every policy with the roles by which it holds of the two ends: `staff reads (#staff to #docs)`. */
function reasons({ paths, ...pair }: Grant): string {
  const identity = { id: pair.identityId, name: pair.identityName ?? pair.identityId };
  const service = { id: pair.serviceId, name: pair.serviceName ?? pair.serviceId };
  const policies = paths.map(({ policyId, policyName, identityRoles, serviceRoles }) => {
    const from = identityRoles.map(({ role }) => roleText(role, identity)).join(' ');
    const to = serviceRoles.map(({ role }) => roleText(role, service)).join(' ');
    return `${plain(policyName ?? policyId)} (${from} to ${to})`;
  });
  return policies.sort().join(', ');
}
