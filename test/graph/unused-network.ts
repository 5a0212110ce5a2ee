import { expect } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import { sql } from '../../src/base/sql.js';
import { InProcess, type GraphAnswer } from '../support/in-process.js';
import { NamedEntities } from '../support/named-entities.js';

/* People and services, with policies that let them dial and host, and the uses of a test. */

const START = Date.parse('2030-01-01T12:00:00.000Z');
const HOUR = 3_600_000;
const NOW = 100;

/** The time of an hour after the start of the controller; now it is the hour 100. */
export const at = (hours: number): Date => new Date(START + hours * HOUR);

export const STAFF = ['ada', 'bob', 'eve', 'Zoë "the" \\ O\'Neill'];

type Use = readonly [identity: string, service: string, type: 'Dial' | 'Bind', hour: number];

export const USES: readonly Use[] = [
  ['ada', 'wiki', 'Dial', 10],
  ['bob', 'wiki', 'Dial', 20],
  ['ada', 'mail', 'Dial', 5],
  ['eve', 'wiki', 'Dial', 1],
  ['ada', 'wiki', 'Bind', 30],
];

export interface Node {
  readonly policyName: string;
  readonly type: string;
  readonly grantedCount: number;
  readonly unusedCount: number;
  readonly gained: number;
  readonly lost: number;
  readonly unusedIdentities: { totalCount: number; nodes: { identityName: string }[] };
  readonly unusedServices: { totalCount: number; nodes: { serviceName: string }[] };
  readonly changes: readonly (Row & { gained: number; lost: number })[];
  readonly broadRoles: readonly Row[];
}

export const FIELDS = `policyName type grantedCount unusedCount gained lost
  unusedIdentities { totalCount nodes { identityName } } unusedServices { totalCount nodes { serviceName } }
  changes { operation type id: entityId input gained lost }
  broadRoles { side roles memberCount usedMemberCount unusedCount usedCount }`;

export class UnusedNetwork {
  readonly names: NamedEntities;

  private constructor(
    readonly controller: InProcess,
    private readonly setHour: (hours: number) => void,
  ) {
    this.names = new NamedEntities(() => controller);
  }

  static async start(): Promise<UnusedNetwork> {
    let now = at(0);
    const controller = await InProcess.start(undefined, {
      now: () => now,
      sessionTimeoutMs: 1000 * HOUR,
    });
    const network = new UnusedNetwork(controller, (hours) => (now = at(hours)));
    await network.fill();
    network.setHour(NOW);
    return network;
  }

  /** Forgets all uses. */
  async begin(): Promise<void> {
    const { store } = this.controller.parts;
    await store.query(sql`delete from access_use`);
    await store.query(sql`delete from circuit`);
  }

  /** Stores uses. */
  async used(...uses: readonly Use[]): Promise<void> {
    const { accessUses } = this.controller.parts;
    const { idOf } = this.names;
    for (const [identity, service, type, hour] of uses) {
      this.setHour(hour);
      accessUses.record({ identityId: idOf(identity), serviceId: idOf(service), type });
    }
    this.setHour(NOW);
    await accessUses.flush();
  }

  ask(since: Date, args = '', fields = `nodes { ${FIELDS} } totalCount`): Promise<GraphAnswer> {
    return this.controller.graph(
      `query ($since: DateTime!) { unusedAccess(since: $since ${args}) { ${fields} } }`,
      { since: since.toISOString() },
    );
  }

  async page<T>(since: Date, args: string, fields: string): Promise<T> {
    const { data, messages } = await this.ask(since, args, fields);
    expect(messages).toEqual([]);
    return data?.unusedAccess as T;
  }

  async unused(since: Date, args = ''): Promise<Node[]> {
    const { nodes } = await this.page<{ nodes: Node[] }>(since, args, `nodes { ${FIELDS} }`);
    return nodes;
  }

  private async fill(): Promise<void> {
    const { idOf, make, person, policy } = this.names;
    for (const name of STAFF) await person(name, 'staff');
    await person('guest', 'guests');
    const encryptionRequired = true;
    for (const name of ['wiki', 'mail']) {
      await make('Service', name, { encryptionRequired, roleAttributes: ['docs'] });
    }
    await make('Service', 'vault', { encryptionRequired, roleAttributes: ['secret'] });
    await policy('staff reads', ['#staff'], ['#docs']);
    await policy('guests read', ['#guests'], ['#docs']);
    await policy('eve opens', [`@${idOf('eve')}`, '#guests'], ['#secret', `@${idOf('wiki')}`]);
    await policy('ada hosts', [`@${idOf('ada')}`], [`@${idOf('wiki')}`], { type: 'Bind' });
    await policy('nothing', ['#nobody'], ['#docs']);
  }
}
