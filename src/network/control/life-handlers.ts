import type { Fabric } from '../fabric/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { originOfController, removeIn } from '../../kernel/write/write.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import type { FrameHandler } from './control-channel.js';
import { messages } from '../messages/index.js';
import { handle } from './handle.js';

export interface LifeHandlerOptions {
  readonly fabric: Pick<Fabric, 'bindings'>;
  readonly context: () => RequestContext;
  readonly router: () => ConnectedRouter;
}

/** Does what the operator of a router orders there: drain it, restore it, delete it. */
export function lifeHandlers({
  fabric,
  context,
  router,
}: LifeHandlerOptions): ReadonlyMap<number, FrameHandler> {
  const order = (
    type: number,
    work: (answer: () => void) => Promise<void>,
  ): [number, FrameHandler] => [
    type,
    async (frame) => {
      const { channel } = router();
      // A message with a body is another one: nothing is deleted by mistake.
      if (frame.body.length > 0) channel.result(frame, false, 'the message must be empty');
      else {
        await work(() => {
          channel.result(frame, true);
        });
      }
    },
  ];
  return new Map<number, FrameHandler>([
    order(CONTENT.quiesce, async (answer) => {
      await fabric.bindings.quiesce(router().id);
      answer();
    }),
    order(CONTENT.restore, async (answer) => {
      await fabric.bindings.restore(router().id);
      answer();
    }),
    order(CONTENT.decommission, async (answer) => {
      // The deletion ends the connection.
      answer();
      await deleteRouter(context(), router().id);
    }),
    handle(CONTENT.inspect, messages.InspectRequest, (_, frame) => {
      // A router is no operator: it gets no value.
      const body = messages.InspectResponse.encode({ success: true });
      router().channel.answer(frame, CONTENT.inspectResult, body);
    }),
  ]);
}

async function deleteRouter(ctx: RequestContext, id: string): Promise<void> {
  const { EdgeRouter, TransitRouter } = ctx.catalog.resources;
  await ctx.store.write(originOfController(ctx.now()), async (tx) => {
    const [edgeRouter] = await tx.find(EdgeRouter, { id });
    await removeIn(ctx, tx, edgeRouter ? EdgeRouter : TransitRouter, id);
  });
}
