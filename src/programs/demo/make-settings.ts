import type { Client } from '../cli/client.js';
import { readAgainIfRefused } from './read-again.js';
import type { NamedInput, Setting } from './settings.js';

/** Gives the id of an entity with this name, which is created when there is none. */
export const makeSetting = <Input extends NamedInput>(
  client: Client,
  setting: Setting<Input>,
): Promise<string> => readAgainIfRefused(() => findOrCreate(client, setting));

async function findOrCreate<Input extends NamedInput>(
  client: Client,
  setting: Setting<Input>,
): Promise<string> {
  const { find, create, input, reason } = setting;
  const { present } = await client.run(find, { name: input.name });
  const [entity] = present.nodes;
  if (entity) return entity.id;
  const { created } = await client.run(
    create,
    { input },
    reason === undefined ? {} : { headers: { 'overgraph-override-reason': reason } },
  );
  return created.id;
}
