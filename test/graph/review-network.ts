import { expect } from '@jest/globals';
import type { Row } from '../../src/base/row.js';
import type { InProcess } from '../support/in-process.js';
import { UnusedNetwork } from './unused-network.js';

/* Reviews of the access of a small network. */

export type Decision = 'UNDECIDED' | 'KEEP' | 'REVOKE';

export interface Line {
  readonly identityId: string;
  readonly identityName: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly type: string;
  readonly policies: readonly { policyId: string; policyName: string }[];
  readonly lastUsedAt: string | null;
  readonly decision: Decision;
  readonly comment: string | null;
  readonly decidedById: string | null;
  readonly decidedByName: string | null;
  readonly decidedAt: string | null;
  readonly assignmentsUntil: string | null;
}

export interface Review {
  readonly id: string;
  readonly state: string;
  readonly revision: number;
  readonly finishedAt: string | null;
  readonly finishedById: string | null;
  readonly usesRecordedSince: string;
  readonly lineCount: number;
  readonly undecidedCount: number;
  readonly keepCount: number;
  readonly revokeCount: number;
}

const LINE = `identityId identityName serviceId serviceName type policies { policyId policyName }
  lastUsedAt decision comment decidedById decidedByName decidedAt assignmentsUntil`;
const REVIEW = `id state revision finishedAt finishedById usesRecordedSince
  lineCount undecidedCount keepCount revokeCount`;

const START = `mutation ($name: String!, $description: String, $type: AccessType, $identityFilter: String, $serviceFilter: String) {
  startAccessReview(name: $name, description: $description, type: $type, identityFilter: $identityFilter,
    serviceFilter: $serviceFilter) { id } }`;
const DECIDE = `mutation ($id: ID!, $decisions: [LineDecisionInput!]!) {
  decideAccessReview(id: $id, decisions: $decisions) { ${REVIEW} } }`;
export const FINISH = `mutation ($id: ID!) { finishAccessReview(id: $id) { ${REVIEW} } }`;

export interface Refusal {
  readonly code: string | undefined;
  readonly field: unknown;
  readonly text: unknown;
}

export type Outcome = 'done' | Refusal;

export class ReviewNetwork {
  #count = 0;

  private constructor(readonly unused: UnusedNetwork) {}

  static async start(): Promise<ReviewNetwork> {
    return new ReviewNetwork(await UnusedNetwork.start());
  }

  get controller(): InProcess {
    return this.unused.controller;
  }

  get names(): UnusedNetwork['names'] {
    return this.unused.names;
  }

  newName = (): string => `review ${String((this.#count += 1))}`;

  /** Begins a review and gives its id. */
  async review(input: Row = {}): Promise<string> {
    const variables = { name: this.newName(), ...input };
    const { startAccessReview } = await this.controller.read<{ startAccessReview: Review }>(
      START,
      variables,
    );
    return startAccessReview.id;
  }

  /** A review of what one identity dials. */
  reviewOf = (identity: string): Promise<string> =>
    this.review({ type: 'Dial', identityFilter: `id = "${this.names.idOf(identity)}"` });

  start = (input: Row, ctx = this.controller.ctx()): Promise<Outcome> =>
    this.attempt(START, { name: this.newName(), ...input }, ctx);

  /** As the database has it: writes of another controller are not fed here. */
  async of(id: string): Promise<Review> {
    await this.controller.forgetRows();
    const text = `query ($id: ID!) { accessReview(id: $id) { ${REVIEW} } }`;
    return (await this.controller.read<{ accessReview: Review }>(text, { id })).accessReview;
  }

  async lines(id: string, args = 'first: 500'): Promise<readonly Line[]> {
    const text = `query ($id: ID!) { accessReviewLines(id: $id, ${args}) { nodes { ${LINE} } } }`;
    const { accessReviewLines } = await this.controller.read<{
      accessReviewLines: { nodes: Line[] };
    }>(text, { id });
    return accessReviewLines.nodes;
  }

  /** A decision about the line of an identity and a service. */
  about = (identity: string, service: string, decision: Decision, more: Row = {}): Row => ({
    identityId: this.names.idOf(identity),
    serviceId: this.names.idOf(service),
    type: 'Dial',
    decision,
    ...more,
  });

  decide = (
    id: string,
    decisions: readonly Row[],
    ctx = this.controller.ctx(),
    on = this.controller,
  ): Promise<Outcome> => this.attempt(DECIDE, { id, decisions }, ctx, on);

  finish = (id: string, ctx = this.controller.ctx(), on = this.controller): Promise<Outcome> =>
    this.attempt(FINISH, { id }, ctx, on);

  /** Decides all lines of a review, and finishes it. */
  async finished(id: string, decision: Decision = 'KEEP'): Promise<void> {
    const lines = await this.lines(id);
    const decisions = lines.map(({ identityId, serviceId, type }) => ({
      identityId,
      serviceId,
      type,
      decision,
    }));
    expect(await this.decide(id, decisions)).toBe('done');
    expect(await this.finish(id)).toBe('done');
  }

  async attempt(
    text: string,
    variables: Row,
    ctx = this.controller.ctx(),
    on = this.controller,
  ): Promise<Outcome> {
    const { errors, messages } = await on.graph(text, variables, ctx);
    if (messages.length === 0) return 'done';
    const [error] = errors;
    if (!error) throw new Error(messages.join('\n'));
    const { detail } = error;
    return {
      code: error.code,
      field: detail?.kind === 'field' ? detail.field : undefined,
      text:
        detail?.kind === 'field'
          ? detail.reason
          : detail && 'message' in detail
            ? detail.message
            : undefined,
    };
  }
}
