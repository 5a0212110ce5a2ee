import { upperFirst } from '../../base/names.js';
import { ATTRIBUTE_KIND_WORDS, ATTRIBUTE_KINDS } from './attribute-kinds.js';
import { Client } from './client.js';
import { usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import { namedEntities, type EntityKind } from './named.js';
import type { CommandLine } from './options.js';
import { overrideHeader } from './override-header.js';
import { quoted } from './plain.js';

interface AttributeChange {
  readonly verb: 'add' | 'remove';
  readonly kind: EntityKind;
  /** The name or the id of the entity. */
  readonly name: string;
  readonly roleAttributes: readonly string[];
}

interface Changed {
  readonly name: string;
  readonly roleAttributes: readonly string[];
}

/** `overgraph attributes add|remove <kind> <name> <attribute>...` */
export async function attributesCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const change = changeIn(operands);
  const headers = overrideHeader(options);
  const client = await Client.login(await connectionOf(options, env));
  try {
    const { name, roleAttributes } = await changed(client, change, headers);
    const listed = roleAttributes.map(quoted).join(', ');
    console.log(`${quoted(name)} has ${listed === '' ? 'no role attributes' : listed}.`);
  } finally {
    await client.logout();
  }
}

function changeIn([verb, word = '', name, ...roleAttributes]: readonly string[]): AttributeChange {
  if (verb !== 'add' && verb !== 'remove') throw usageError('attributes takes add or remove');
  const kind = ATTRIBUTE_KINDS[ATTRIBUTE_KIND_WORDS.indexOf(word)];
  if (kind === undefined) {
    throw usageError(`attributes ${verb} takes a kind: ${ATTRIBUTE_KIND_WORDS.join(', ')}`);
  }
  if (name === undefined || roleAttributes.length === 0) {
    throw usageError(`attributes ${verb} ${word} takes a name and one or more attributes`);
  }
  return { verb, kind, name, roleAttributes };
}

async function changed(
  client: Client,
  { verb, kind, name, roleAttributes }: AttributeChange,
  headers: Readonly<Record<string, string>>,
): Promise<Changed> {
  const { [kind]: entity } = await namedEntities(client, { [kind]: name } as Record<
    EntityKind,
    string
  >);
  const mutation = `mutation ($id: ID!, $roleAttributes: [String!]!) {
    entity: ${verb}${upperFirst(kind)}RoleAttributes(id: $id, roleAttributes: $roleAttributes) { name roleAttributes }
  }`;
  const variables = { id: entity.id, roleAttributes };
  return (await client.run<{ entity: Changed }>(mutation, variables, { headers })).entity;
}
