import {
  AddEdgeRouterRoleAttributes,
  AddIdentityRoleAttributes,
  AddPostureCheckRoleAttributes,
  AddServiceRoleAttributes,
  RemoveEdgeRouterRoleAttributes,
  RemoveIdentityRoleAttributes,
  RemovePostureCheckRoleAttributes,
  RemoveServiceRoleAttributes,
} from '../emitted/operations.js';
import { ATTRIBUTE_KIND_WORDS, ATTRIBUTE_KINDS } from './attribute-kinds.js';
import { Client } from './client.js';
import { usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import { namedEntity, type EntityKind } from './named.js';
import type { CommandLine } from './options.js';
import { overrideHeader } from './override-header.js';
import { quoted } from './plain.js';

const CHANGES = {
  add: {
    identity: AddIdentityRoleAttributes,
    service: AddServiceRoleAttributes,
    edgeRouter: AddEdgeRouterRoleAttributes,
    postureCheck: AddPostureCheckRoleAttributes,
  },
  remove: {
    identity: RemoveIdentityRoleAttributes,
    service: RemoveServiceRoleAttributes,
    edgeRouter: RemoveEdgeRouterRoleAttributes,
    postureCheck: RemovePostureCheckRoleAttributes,
  },
};

interface AttributeChange {
  readonly verb: keyof typeof CHANGES;
  readonly kind: EntityKind;
  /** The name or the id of the entity. */
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
) {
  const { id } = await namedEntity(client, kind, name);
  const variables = { id, roleAttributes };
  return (await client.run(CHANGES[verb][kind], variables, { headers })).entity;
}
