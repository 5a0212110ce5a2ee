import { BindRefusal, type Fabric } from '../fabric/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import type { FrameHandler } from './control-channel.js';
import { handle } from './handle.js';
import {
  messages,
  type CreateTerminatorResult,
  type CreateTerminatorV2Request,
  type TerminatorPrecedence,
} from '../messages/index.js';
import type { Frame } from './frame.js';
import { precedenceInGraph } from './precedence.js';
import { provedClient, type AccessTokenReader } from './proved-client.js';
import { ERROR, refuse } from './refuse.js';

export interface TerminatorHandlerOptions {
  readonly fabric: Fabric;
  readonly router: () => ConnectedRouter;
  readonly sessionOf: AccessTokenReader;
}

/** Answers the requests of a router about the terminators of its clients. */
export function terminatorHandlers(
  options: TerminatorHandlerOptions,
): ReadonlyMap<number, FrameHandler> {
  const { fabric, router } = options;
  const { bindings } = fabric;
  const remove = (ids: readonly string[]): Promise<void> => bindings.remove(router().id, ids);
  return new Map<number, FrameHandler>([
    handle(CONTENT.createTerminator, messages.CreateTerminatorV2Request, (request, frame) =>
      bind(options, frame, request),
    ),
    handle(CONTENT.updateBind, messages.UpdateBindRequest, async (request, frame) => {
      const isKnown = await bindings.update(router().id, updateOf(request));
      if (isKnown) router().channel.answer(frame, CONTENT.updateBindResult);
      else refuse(router(), frame, ERROR.invalidTerminator, 'the terminator does not exist');
    }),
    handle(CONTENT.removeBind, messages.RemoveBindRequest, async ({ terminatorId }, frame) => {
      await remove([terminatorId]);
      router().channel.answer(frame, CONTENT.removeBindResult);
    }),
    handle(
      CONTENT.removeTerminators,
      messages.RemoveTerminatorsRequest,
      async ({ terminatorIds }, frame) => {
        await remove(terminatorIds);
        router().channel.result(frame, true);
      },
    ),
    handle(
      CONTENT.removeTerminator,
      messages.RemoveTerminatorRequest,
      async ({ terminatorId }, frame) => {
        await remove([terminatorId]);
        router().channel.result(frame, true);
      },
    ),
    handle(CONTENT.updateTerminator, messages.UpdateTerminatorRequest, async (request, frame) => {
      const isKnown = await bindings.update(router().id, updateOf(request));
      router().channel.result(frame, isKnown, isKnown ? '' : 'the terminator does not exist');
    }),
    handle(CONTENT.healthEvent, messages.HealthEventRequest, ({ terminatorId, checkPassed }) =>
      bindings.applyHealthCheck(router().id, terminatorId, checkPassed),
    ),
  ]);
}

/** Peer data as terminators store it. */
export const storedPeerData = (
  peerData: Readonly<Record<string, Buffer>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(peerData).map(([key, value]) => [key, value.toString('base64')]),
  );

export const updateOf = (request: {
  readonly terminatorId: string;
  readonly updateCost: boolean;
  readonly updatePrecedence: boolean;
  readonly cost: number;
  readonly precedence: TerminatorPrecedence;
}) => ({
  terminatorId: request.terminatorId,
  cost: request.updateCost ? request.cost : undefined,
  precedence: request.updatePrecedence ? precedenceInGraph(request.precedence) : undefined,
});

async function bind(
  options: TerminatorHandlerOptions,
  frame: Frame,
  request: CreateTerminatorV2Request,
): Promise<void> {
  const router = options.router();
  const answer = (result: CreateTerminatorResult, msg = ''): void => {
    const message = { terminatorId: request.address, result, msg };
    const body = messages.CreateTerminatorV2Response.encode(message);
    router.channel.answer(frame, CONTENT.createTerminatorResult, body);
  };
  try {
    const client = await provedClient(request, options.sessionOf);
    await options.fabric.bindings.bind(router.id, {
      ...request,
      session: { token: request.sessionToken, client },
      binding: 'edge',
      precedence: precedenceInGraph(request.precedence),
      peerData: storedPeerData(request.peerData),
    });
    answer('Success');
  } catch (error) {
    if (error instanceof BindRefusal) answer(error.result, error.message);
    else {
      // The router tries again.
      answer('FailedBusy', 'the terminator can not be stored now');
      throw error;
    }
  }
}
