import { nounOf } from '../../base/names.js';
import {
  NamedEdgeRouter,
  NamedIdentity,
  NamedPair,
  NamedPostureCheck,
  NamedService,
  type NamedIdentityResult,
  type NamedIdentityVariables,
  type Operation,
} from '../emitted/operations.js';
import type { Client } from './client.js';
import { usageError } from './command-error.js';
import { quoted } from './plain.js';

export interface Named {
  readonly id: string;
  readonly name: string;
}

interface Matches {
  readonly nodes: readonly Named[];
}

const BY_NAME = {
  identity: NamedIdentity,
  service: NamedService,
  edgeRouter: NamedEdgeRouter,
  postureCheck: NamedPostureCheck,
} satisfies Record<string, Operation<NamedIdentityResult, NamedIdentityVariables>>;

export type EntityKind = keyof typeof BY_NAME;

/** An entity by name where there is one with it, else by id. */
export async function namedEntity(client: Client, kind: EntityKind, name: string): Promise<Named> {
  const { byName, byId } = await client.run(BY_NAME[kind], { name });
  return firstOf(kind, name, [byName, byId]);
}

interface Pair<End> {
  readonly identity: End;
  readonly service: End;
}

/** The two ends of access, each by name where there is one with it, else by id. */
export async function namedPair(client: Client, asked: Pair<string>): Promise<Pair<Named>> {
  const matches = await client.run(NamedPair, asked);
  const { identityByName, identityById, serviceByName, serviceById } = matches;
  return {
    identity: firstOf('identity', asked.identity, [identityByName, identityById]),
    service: firstOf('service', asked.service, [serviceByName, serviceById]),
  };
}

function firstOf(kind: EntityKind, name: string, matches: readonly Matches[]): Named {
  const [entity] = matches.flatMap(({ nodes }) => nodes);
  if (!entity) throw usageError(`there is no ${nounOf(kind)} ${quoted(name)}`);
  return entity;
}
