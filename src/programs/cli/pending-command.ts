import { ApproveIdentity, PendingIdentities } from '../emitted/operations.js';
import { Client } from './client.js';
import { usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import { namedEntity } from './named.js';
import type { CommandLine } from './options.js';
import { overrideHeader } from './override-header.js';
import { plain, quoted } from './plain.js';
import { readList } from './read-pages.js';
import { table } from './text-table.js';

/** `overgraph pending list` and `overgraph pending approve <identity>...` */
export async function pendingCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const [verb, ...names] = operands;
  const isRight = verb === 'list' ? names.length === 0 : verb === 'approve' && names.length > 0;
  if (!isRight) throw usageError('pending takes list, or approve with identities');
  const headers = overrideHeader(options);
  const client = await Client.login(await connectionOf(options, env));
  try {
    if (verb === 'list') console.log(await waiting(client));
    for (const name of names) console.log(await approved(client, name, headers));
  } finally {
    await client.logout();
  }
}

async function waiting(client: Client): Promise<string> {
  const { nodes } = await readList(
    async (page) => (await client.run(PendingIdentities, page)).identities,
  );
  if (nodes.length === 0) return 'No identity waits for its approval.';
  const rows = nodes.map(({ id, name, createdAt, effectiveRoleAttributes }) => [
    plain(name),
    id,
    createdAt,
    effectiveRoleAttributes.map(plain).join(', '),
  ]);
  return table(['identity', 'id', 'since', 'role attributes'], rows);
}

async function approved(
  client: Client,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const { id } = await namedEntity(client, 'identity', name);
  const { approveIdentity } = await client.run(ApproveIdentity, { id }, { headers });
  const attributes = approveIdentity.effectiveRoleAttributes.map(quoted).join(', ');
  return `${quoted(approveIdentity.name)} is approved, with ${attributes === '' ? 'no role attributes' : attributes}.`;
}
