import { piecesOf, type Body } from '../../../src/network/control/frame.js';
import {
  messages,
  type DataStateEvent,
  type DataStatePostureCheck,
  type DataStateRevocation,
  type DataStateServicePolicyChange,
} from '../../../src/network/messages/emitted/messages.js';

type Kind =
  | 'configType'
  | 'config'
  | 'identity'
  | 'service'
  | 'postureCheck'
  | 'servicePolicy'
  | 'revocation';

const KINDS = [
  'configType',
  'config',
  'identity',
  'service',
  'postureCheck',
  'servicePolicy',
  'revocation',
] as const satisfies readonly Kind[];

interface Members {
  readonly services: Set<string>;
  readonly identities: Set<string>;
  readonly postureChecks: Set<string>;
}

/**
 * A router of version 2 as it takes the data model, but one that accepts no mistake: what a real router logs and
 * loses, counts twice, or dies of, is an error here.
 */
export class StrictRouter {
  index = 0;
  timelineId = '';
  readonly keys = new Map<string, readonly string[]>();
  readonly #entities: Readonly<Record<Kind, Map<string, object>>> = {
    configType: new Map(),
    config: new Map(),
    identity: new Map(),
    service: new Map(),
    postureCheck: new Map(),
    servicePolicy: new Map(),
    revocation: new Map(),
  };
  readonly #members = new Map<string, Members>();

  /** Takes the whole model in place of what it has. */
  takeState(sent: Body): void {
    const body = Buffer.concat(piecesOf(sent));
    const { events, endIndex, timelineId } = messages.DataState.decode(body);
    for (const kind of KINDS) this.#entities[kind].clear();
    this.#members.clear();
    this.keys.clear();
    for (const event of events) {
      if (event.action !== 'Create') throw new Error(`${event.action} within the whole model`);
      this.take(event);
    }
    refuseOrder(events);
    this.index = endIndex;
    this.timelineId = timelineId;
  }

  takeSet(sent: Body): void {
    const body = Buffer.concat(piecesOf(sent));
    const { index, isSynthetic, previousIndex, changes } = messages.DataStateChangeSet.decode(body);
    if (!isSynthetic) {
      if (index <= this.index) throw new Error(`index ${index} behind ${this.index}`);
      if (previousIndex !== 0 && this.index > 0 && previousIndex !== this.index) {
        throw new Error(`a gap: ${previousIndex} before ${index}, not ${this.index}`);
      }
    }
    if (changes.length === 0) throw new Error('a set without a change');
    for (const event of changes) this.take(event);
    refuseSetOrder(changes);
    if (!isSynthetic) this.index = index;
  }

  /** All that it knows, in one order. */
  get state(): object {
    return {
      entities: KINDS.map((kind) => byId(this.#entities[kind])),
      members: byId(
        new Map(
          [...this.#members].map(([id, sides]) => [
            id,
            Object.fromEntries(
              Object.entries(sides).map(([side, ids]) => [side, [...(ids as Set<string>)].sort()]),
            ),
          ]),
        ),
      ),
      keys: byId(this.keys),
    };
  }

  entity(kind: Kind, id: string): object | undefined {
    return this.#entities[kind].get(id);
  }

  membersOf(policyId: string): Record<keyof Members, string[]> | undefined {
    const members = this.#members.get(policyId);
    return (
      members && {
        services: [...members.services].sort(),
        identities: [...members.identities].sort(),
        postureChecks: [...members.postureChecks].sort(),
      }
    );
  }

  /** Whether it lets an identity dial or host a service: all checks of one policy must pass. */
  allows(
    identityId: string,
    serviceId: string,
    type: 'Dial' | 'Bind',
    passes: (checkId: string) => boolean = () => true,
  ): boolean {
    if (!this.#entities.identity.has(identityId) || !this.#entities.service.has(serviceId))
      return false;
    return [...this.#members].some(([policyId, members]) => {
      const policy = this.#entities.servicePolicy.get(policyId) as { policyType: string };
      return (
        policy.policyType === `${type}Policy` &&
        members.identities.has(identityId) &&
        members.services.has(serviceId) &&
        [...members.postureChecks].every(passes)
      );
    });
  }

  private take(event: DataStateEvent): void {
    const { action, servicePolicyChange, publicKey } = event;
    if (servicePolicyChange) this.changeMembers(servicePolicyChange);
    else if (publicKey) {
      if (action === 'Delete') this.keys.delete(publicKey.kid);
      else this.keys.set(publicKey.kid, publicKey.usages);
    } else {
      const kind = KINDS.find((each) => event[each] !== undefined);
      const entity = kind && event[kind];
      if (!entity) throw new Error('an event without a model');
      this.takeEntity(kind, action, entity);
    }
  }

  private takeEntity(
    kind: Kind,
    action: DataStateEvent['action'],
    entity: { readonly id: string },
  ): void {
    const { id } = entity;
    const isThere = this.#entities[kind].has(id);
    const isReplaced = kind === 'revocation' && action === 'Create' && isThere;
    if (!isReplaced && isThere !== (action !== 'Create')) {
      throw new Error(`${action} of the ${kind} ${id}`);
    }
    if (action === 'Delete') {
      this.refuseUse(kind, id);
      this.#entities[kind].delete(id);
      if (kind === 'servicePolicy') this.#members.delete(id);
      return;
    }
    this.refuseUnknown(kind, entity);
    this.#entities[kind].set(id, entity);
    if (kind === 'servicePolicy' && !isThere) {
      this.#members.set(id, {
        services: new Set(),
        identities: new Set(),
        postureChecks: new Set(),
      });
    }
  }

  private refuseUse(kind: Kind, id: string): void {
    for (const [policyId, members] of this.#members) {
      for (const [side, ids] of Object.entries(members)) {
        if (side === SIDES[kind] && (ids as Set<string>).has(id)) {
          throw new Error(`the ${kind} ${id} is deleted in the policy ${policyId}`);
        }
      }
    }
  }

  private refuseUnknown(kind: Kind, entity: object): void {
    const { configs = [], typeId } = entity as { configs?: readonly string[]; typeId?: string };
    if (kind === 'config' && !this.#entities.configType.has(typeId ?? '')) {
      throw new Error(`a config of the unknown type ${String(typeId)}`);
    }
    const unknown = kind === 'service' && configs.find((id) => !this.#entities.config.has(id));
    if (typeof unknown === 'string')
      throw new Error(`a service with the unknown config ${unknown}`);
    if (kind === 'postureCheck') refuseSemantic(entity as DataStatePostureCheck);
    if (kind === 'revocation') refuseRevocation(entity as DataStateRevocation);
  }

  private changeMembers({
    policyId,
    relatedEntityIds,
    relatedEntityType,
    add,
  }: DataStateServicePolicyChange): void {
    const [side, kind] = RELATED[relatedEntityType] ?? [];
    const members = this.#members.get(policyId);
    if (!side || !kind || !members) throw new Error(`members of the unknown policy ${policyId}`);
    if (relatedEntityIds.length === 0) throw new Error('no members');
    for (const id of relatedEntityIds) {
      const place = `${kind} ${id} of the policy ${policyId}`;
      if (!this.#entities[kind].has(id)) throw new Error(`unknown ${place}`);
      if (add === members[side].has(id)) throw new Error(`${add ? 'second' : 'no'} ${place}`);
      if (add) members[side].add(id);
      else members[side].delete(id);
    }
  }
}

const SIDES: Partial<Record<Kind, keyof Members>> = {
  service: 'services',
  identity: 'identities',
  postureCheck: 'postureChecks',
};

const RELATED: Readonly<Record<string, readonly [keyof Members, Kind]>> = {
  RelatedService: ['services', 'service'],
  RelatedIdentity: ['identities', 'identity'],
  RelatedPostureCheck: ['postureChecks', 'postureCheck'],
};

/** Another semantic ends the process of a router. */
function refuseSemantic({ id, processMulti }: DataStatePostureCheck): void {
  if (processMulti && !['AllOf', 'AnyOf'].includes(processMulti.semantic)) {
    throw new Error(`the check ${id} has the semantic ${processMulti.semantic}`);
  }
}

/** A router compares the whole seconds of tokens with the time, and knows no other types. */
function refuseRevocation({ id, type, issuedBefore, ExpiresAt }: DataStateRevocation): void {
  if (!['JTI', 'IDENTITY', 'API_SESSION'].includes(type)) {
    throw new Error(`the revocation ${id} has the type ${type}`);
  }
  for (const time of [issuedBefore, ExpiresAt]) {
    const isTime = time && time.seconds > 0 && time.nanos >= 0 && time.nanos < 1_000_000_000;
    if (!isTime) throw new Error(`the revocation ${id} has no time`);
  }
}

/**
 * The order inside a set: removals of members, deletions, entities, additions of members by their side, and keys and
 * revocations last. Inside the whole, each policy is followed by its members.
 */
function refuseSetOrder(events: readonly DataStateEvent[]): void {
  const steps = events.map(stepOf);
  const early = steps.findIndex((step, i) => step < (steps[i - 1] ?? 0));
  if (early >= 0)
    throw new Error(`an event of step ${steps[early]} behind step ${steps[early - 1]}`);
}

const ADDITIONS = ['RelatedService', 'RelatedPostureCheck', 'RelatedIdentity'];
const DELETIONS = ['servicePolicy', 'identity', 'service', 'postureCheck', 'config', 'configType'];
const CREATIONS = ['configType', 'config', 'identity', 'service', 'postureCheck', 'servicePolicy'];

/** Steps of a hundred each, and the places within them. */
function stepOf(event: DataStateEvent): number {
  const { action, servicePolicyChange, publicKey, revocation } = event;
  if (publicKey) return 400;
  if (revocation) return 401;
  if (servicePolicyChange) {
    const { add, relatedEntityType } = servicePolicyChange;
    return add ? 300 + ADDITIONS.indexOf(relatedEntityType) : 0;
  }
  const kind = KINDS.find((each) => event[each] !== undefined) ?? '';
  return action === 'Delete' ? 100 + DELETIONS.indexOf(kind) : 200 + CREATIONS.indexOf(kind);
}

/** Keys and revocations come last: keys first in the whole model. */
function refuseOrder(events: readonly DataStateEvent[]): void {
  const begin = events.findIndex(({ revocation }) => revocation !== undefined);
  const others = events.slice(begin).filter(({ revocation }) => revocation === undefined);
  if (begin >= 0 && others.length > 0) throw new Error('revocations do not come last');
}

const byId = (entries: ReadonlyMap<string, unknown>): unknown[] =>
  [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
