import { eachSliced, inSlices } from '../../base/slices.js';
import { messages, type DataStateEvent } from '../messages/index.js';
import type { DataModel } from './data-model.js';

/** The parts of a model by their names: the bytes of an entity, or the digest of the members of a policy. */
type Parts = ReadonlyMap<string, string>;

const FNV_START = 0x811c9dc5;
const FNV_FACTOR = 0x01000193;

/** Gives what differs between the model in memory and the one of the database, as texts. */
export function differencesBetween(inMemory: Parts, stored: Parts): string[] {
  const missing = [...stored.keys()].filter((name) => !inMemory.has(name));
  const unexpected = [...inMemory.keys()].filter((name) => !stored.has(name));
  const modified = [...inMemory].filter(
    ([name, part]) => stored.has(name) && stored.get(name) !== part,
  );
  return [
    ...missing.map((name) => `${name} removed: it is in the database alone`),
    ...unexpected.map((name) => `${name} added: it is in memory alone`),
    ...modified.map(([name]) => `${name} modified: it is another one in the database`),
  ];
}

/** Reads a model, which must not change meanwhile. */
export async function partsOf(model: DataModel): Promise<Parts> {
  const parts = new Map<string, string>();
  const members = new Map<string, Members>();
  const read = eachSliced(model.all(), 1, (encoded) => {
    const event = messages.DataStateEvent.decode(encoded);
    if (event.servicePolicyChange) addMembers(members, event.servicePolicyChange);
    else parts.set(nameOf(event), encoded.toString('latin1'));
  });
  await inSlices(read);
  for (const [name, { count, digest }] of members) {
    parts.set(name, `${String(count)} ${String(digest)}`);
  }
  return parts;
}

function nameOf(event: DataStateEvent): string {
  const { configType, config, identity, service, postureCheck, servicePolicy, revocation } = event;
  const policies = { servicePolicy, postureCheck };
  const entity = { configType, config, identity, service, ...policies, revocation };
  const [kind, value] = Object.entries(entity).find(([, each]) => each) ?? ['entity', undefined];
  return `${kind} id: ${value?.id ?? ''}`;
}

/** A policy may have a hundred thousand members: their order does not count. */
interface Members {
  readonly count: number;
  readonly digest: number;
}

function addMembers(
  members: Map<string, Members>,
  { policyId, relatedEntityType, relatedEntityIds }: Change,
): void {
  const name = `${relatedEntityType} of servicePolicy id: ${policyId}`;
  const { count, digest } = members.get(name) ?? { count: 0, digest: 0 };
  members.set(name, {
    count: count + relatedEntityIds.length,
    digest: relatedEntityIds.reduce((sum, id) => sum ^ hashOf(id), digest),
  });
}

type Change = NonNullable<DataStateEvent['servicePolicyChange']>;

function hashOf(text: string): number {
  let hash = FNV_START;
  for (let i = 0; i < text.length; i += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(i), FNV_FACTOR);
  }
  return hash;
}
