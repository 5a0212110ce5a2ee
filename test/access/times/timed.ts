import { expect } from '@jest/globals';
import { moveDuePolicies, type MovedPolicies } from '../../../src/access/times/index.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import type { GraphAnswer, InProcess } from '../../support/in-process.js';
import type { Dialling } from '../enforcement/dialling.js';

/** Service policies of a controller in this process. Time passes when a test says so. */
export class Timed {
  constructor(
    private readonly controller: InProcess,
    /** Somebody whose policy it is, unless a call names another one. */
    private readonly person: () => Dialling,
  ) {}

  update = (input: Row, id = this.person().policy, on = this.controller): Promise<GraphAnswer> =>
    on.graph(
      `mutation ($id: ID!, $input: UpdateServicePolicyInput!) {
      changed: updateServicePolicy(id: $id, input: $input) { isInForce nextChangeAt } }`,
      { id, input },
    );

  async updated(input: Row, id = this.person().policy, on = this.controller): Promise<unknown> {
    const { data, messages } = await this.update(input, id, on);
    expect(messages).toStrictEqual([]);
    return data?.changed;
  }

  /** Lets hours pass for a policy: its times move into the past instead. */
  passHours = (hours: number, id = this.person().policy): Promise<unknown> =>
    this.controller.parts.store.query(
      sql`update service_policy set valid_from = valid_from - make_interval(hours => ${hours}::int),
        valid_until = valid_until - make_interval(hours => ${hours}::int),
        next_change_at = next_change_at - make_interval(hours => ${hours}::int)
      where id = ${id}::text`,
    );

  async moveDue(on = this.controller): Promise<MovedPolicies> {
    const refusedIds: string[] = [];
    for (let count = 0; ;) {
      const step = await moveDuePolicies(on.anonymous(), refusedIds);
      refusedIds.push(...step.refusedIds);
      count += step.count;
      if (step.count === 0 && step.refusedIds.length === 0) return { count, refusedIds };
    }
  }

  /** The services that Ada reaches, in each way to ask for them. */
  async reached(on = this.controller, at: string | null = null): Promise<boolean> {
    const person = this.person();
    const answer = await on.read<{
      identity: { services: { totalCount: number; nodes: unknown[] } };
      services: { nodes: unknown[] };
      accesses: { totalCount: number };
      access: { allowed: boolean };
    }>(
      `query ($identity: ID!, $service: ID!, $text: String!, $by: String!, $at: String) {
      identity(id: $identity) { services { totalCount nodes { id } } }
      services(where: { id: { in: [$text] }, identities: { some: { id: { eq: $by } } } }) { nodes { id } }
      accesses(identityId: $identity, at: $at) { totalCount }
      access(identityId: $identity, serviceId: $service, type: Dial, at: $at) { allowed } }`,
      {
        identity: person.identity,
        service: person.service,
        text: person.service,
        by: person.identity,
        at,
      },
    );
    const { identity, services, accesses, access } = answer;
    const atOnce = [accesses.totalCount === 1, access.allowed];
    const now = [
      identity.services.totalCount === 1,
      identity.services.nodes.length === 1,
      services.nodes.length === 1,
    ];
    const ways = new Set(at === null ? [...atOnce, ...now] : atOnce);
    expect(ways.size).toBe(1);
    return ways.has(true);
  }

  inForce = async (id = this.person().policy): Promise<unknown> => {
    const [row] = await this.controller.parts.store.query(
      sql<Row>`select is_in_force as "isInForce", next_change_at as "nextChangeAt"
      from service_policy where id = ${id}::text`,
    );
    return row;
  };
}

export const SIMULATE = `query ($changes: [ModelChangeInput!]!) { simulate(changes: $changes) {
  gained { totalCount } lost { totalCount } } }`;
