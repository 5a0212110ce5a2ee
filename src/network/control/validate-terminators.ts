import type { NodeQuestion } from '../../data/rows/inspection/index.js';
import { terminators, type HostedTerminator } from '../../data/rows/terminator/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import type { Fabric } from '../fabric/index.js';
import {
  messages,
  type RouterTerminatorState,
  type TerminatorDetail,
  type TerminatorInvalidReason,
  type TerminatorState,
  type ValidateTerminatorsV2Response,
} from '../messages/index.js';
import { resultOfParts, type ValidationResult } from '../validation/index.js';
import { answerOfRouter } from './answer-of-router.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import type { Frame } from './frame.js';

const PAGE = 500;
/** Longer than a router takes at most. */
const ANSWER_MILLIS = 40_000;

/**
 * Asks a router that has connected which of its stored terminators it still has, and removes the
 * others. The router does not announce those again that it was asked for.
 */
export async function validateTerminators(
  { bindings }: Fabric,
  router: ConnectedRouter,
): Promise<void> {
  const hosted = await bindings.hostedAt(router.id);
  for (let from = 0; from < hosted.length; from += PAGE) {
    const page = hosted.slice(from, from + PAGE);
    const answer = await askAbout(router, page, true);
    if (!answer) return;
    const { states } = messages.ValidateTerminatorsV2Response.decode(answer.body);
    await bindings.removeInvalid(router.id, invalidIn(page, states));
  }
}

interface StoredTerminatorsOptions {
  readonly router: ConnectedRouter;
  readonly fabric: Pick<Fabric, 'bindings'>;
  readonly store: Store;
}

/** The part of a result about one terminator. */
export type TerminatorFinding = Pick<
  TerminatorDetail,
  'terminatorId' | 'state' | 'fixed' | 'detail'
>;

/** Asks a router which of these stored terminators it has; removes the others if the question says so. */
export async function validateStoredTerminators(
  { router, fabric, store }: StoredTerminatorsOptions,
  { names: ids, fixes }: NodeQuestion,
): Promise<ValidationResult> {
  const page = await terminators.someAt(store, router.id, ids);
  const { states } = await statesOf(router, page, fixes);
  const invalid = invalidIn(page, states);
  if (fixes) await fabric.bindings.removeInvalid(router.id, invalid);
  const details = page.map(({ id }) => findingOf(id, states[id], fixes));
  return resultOfParts(
    details,
    details.every(({ state }) => state === 'Valid'),
  );
}

async function statesOf(
  router: ConnectedRouter,
  page: readonly HostedTerminator[],
  fixes: boolean,
): Promise<ValidateTerminatorsV2Response> {
  if (page.length === 0) return { states: {} };
  const answer = await askAbout(router, page, fixes);
  return answerOfRouter(router, answer, messages.ValidateTerminatorsV2Response);
}

function askAbout(
  router: ConnectedRouter,
  page: readonly HostedTerminator[],
  fixInvalid: boolean,
): Promise<Frame | undefined> {
  const toValidate = page.map(({ revision, ...terminator }) => ({
    ...terminator,
    marker: revision,
  }));
  return router.ask(
    CONTENT.validateTerminators,
    messages.ValidateTerminatorsV2Request,
    { terminators: toValidate, fixInvalid },
    ANSWER_MILLIS,
  );
}

const invalidIn = (
  page: readonly HostedTerminator[],
  states: Readonly<Record<string, RouterTerminatorState>>,
): HostedTerminator[] => page.filter(({ id }) => states[id]?.valid === false);

const STATES: Readonly<Record<TerminatorInvalidReason, TerminatorState>> = {
  UnknownBinding: 'InvalidUnknownBinding',
  UnknownTerminator: 'InvalidUnknownTerminator',
  BadState: 'InvalidBadState',
};

function findingOf(
  terminatorId: string,
  state: RouterTerminatorState | undefined,
  fixes: boolean,
): TerminatorFinding {
  if (!state) {
    return { terminatorId, state: 'Unknown', fixed: false, detail: 'the router does not tell' };
  }
  const { valid, reason, detail } = state;
  return { terminatorId, state: valid ? 'Valid' : STATES[reason], fixed: fixes && !valid, detail };
}
