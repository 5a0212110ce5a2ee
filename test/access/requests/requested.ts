import type { Row } from '../../../src/base/row.js';
import type { Caller } from '../../../src/kernel/request/context.js';
import { callerOf, type GraphAnswer, type InProcess } from '../../support/in-process.js';
import { Boards } from '../assignments/boards.js';

/** Access offers of a controller in this process, with people who ask and people who approve. */

export interface ShownRequest {
  readonly id: string;
  readonly state: string;
  readonly roleAttribute: string;
  readonly requestedMinutes: number;
  readonly grantedMinutes: number | null;
  readonly grantedUntil: string | null;
  readonly decidedById: string | null;
  readonly decidedByName: string | null;
  readonly endedById: string | null;
  readonly comment: string | null;
}

const SHOWN = `id state roleAttribute requestedMinutes grantedMinutes grantedUntil decidedById decidedByName
  endedById comment`;

type Verb = 'approve' | 'deny' | 'cancel' | 'revoke';

const MUTATIONS: Readonly<Record<Verb, string>> = {
  approve: `mutation ($id: ID!, $minutes: Int, $comment: String) {
    request: approveAccessRequest(id: $id, minutes: $minutes, comment: $comment) { ${SHOWN} } }`,
  deny: `mutation ($id: ID!, $comment: String) {
    request: denyAccessRequest(id: $id, comment: $comment) { ${SHOWN} } }`,
  cancel: `mutation ($id: ID!) { request: cancelAccessRequest(id: $id) { ${SHOWN} } }`,
  revoke: `mutation ($id: ID!, $comment: String) {
    request: revokeAccess(id: $id, comment: $comment) { ${SHOWN} } }`,
};

export class Requested {
  #count = 0;

  private constructor(
    readonly boards: Boards,
    readonly controller: InProcess,
  ) {}

  static async start(): Promise<Requested> {
    const boards = await Boards.start();
    return new Requested(boards, boards.controller);
  }

  /** Somebody at the desk, or with other role attributes. */
  person(...roleAttributes: string[]): Promise<string> {
    return this.boards.newIdentity({ roleAttributes: ['desk', ...roleAttributes] });
  }

  /** An offer of `on-call` to those at the desk, which those with `lead` approve. */
  offer(input: Row = {}): Promise<string> {
    this.#count += 1;
    return this.controller.create('AccessOffer', {
      name: `offer ${String(this.#count)}`,
      roleAttribute: 'on-call',
      requesterRoles: ['#desk'],
      approverRoles: ['#lead'],
      maxMinutes: 60,
      ...input,
    });
  }

  change(offerId: string, input: Row): Promise<GraphAnswer> {
    return this.controller.graph(
      `mutation ($id: ID!, $input: UpdateAccessOfferInput!) {
        changed: updateAccessOffer(id: $id, input: $input) { id } }`,
      { id: offerId, input },
    );
  }

  /** Asks as an identity, for half an hour if the test says nothing else. */
  ask(by: string | Caller, offerId: string, input: Row = {}): Promise<GraphAnswer> {
    return this.controller.graph(
      `mutation ($offerId: ID!, $reason: String!, $minutes: Int!) {
        request: requestAccess(offerId: $offerId, reason: $reason, minutes: $minutes) { ${SHOWN} } }`,
      { offerId, reason: 'the board is red', minutes: 30, ...input },
      this.ctx(by),
    );
  }

  async asked(by: string | Caller, offerId: string, input: Row = {}): Promise<string> {
    return requestIn(await this.ask(by, offerId, input)).id;
  }

  /** Decides as an identity, or ends a request. */
  decide(verb: Verb, by: string | Caller, id: string, input: Row = {}): Promise<GraphAnswer> {
    return this.controller.graph(MUTATIONS[verb], { id, ...input }, this.ctx(by));
  }

  async request(id: string): Promise<ShownRequest> {
    const { accessRequest } = await this.controller.read<{ accessRequest: ShownRequest }>(
      `query ($id: ID!) { accessRequest(id: $id) { ${SHOWN} } }`,
      { id },
    );
    return accessRequest;
  }

  ctx(by: string | Caller) {
    return this.controller.ctx(typeof by === 'string' ? callerOf(by) : by);
  }
}

/** The request of an answer without errors. */
export function requestIn({ data, messages }: GraphAnswer): ShownRequest {
  if (messages.length > 0) throw new Error(messages.join('\n'));
  return data?.request as ShownRequest;
}
