import type { Client } from '../cli/client.js';
import { readAgainIfRefused } from './read-again.js';
import type { Setting } from './settings.js';

/** Gives the id of an entity with this name, which is created when there is none. */
export const makeSetting = (client: Client, setting: Setting): Promise<string> =>
  readAgainIfRefused(() => findOrCreate(client, setting));

async function findOrCreate(client: Client, setting: Setting): Promise<string> {
  const { list, type, input, reason } = setting;
  const where = { name: { eq: input.name } };
  const { found } = await client.run<{ found: { nodes: { id: string }[] } }>(
    `query ($where: ${type}Where!) { found: ${list}(where: $where, first: 1) { nodes { id } } }`,
    { where },
  );
  const [present] = found.nodes;
  if (present) return present.id;
  const { created } = await client.run<{ created: { id: string } }>(
    `mutation ($input: Create${type}Input!) { created: create${type}(input: $input) { id } }`,
    { input },
    reason === undefined ? {} : { headers: { 'overgraph-override-reason': reason } },
  );
  return created.id;
}
