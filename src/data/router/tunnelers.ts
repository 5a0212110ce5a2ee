import type { Rows } from '../../kernel/request/store-port.js';

/** Whether a router with this id has a tunneler, and with it an identity of the same id. */
export async function exists(rows: Rows, routerId: string): Promise<boolean> {
  const router = await rows.readModel((models) =>
    models.router.findUnique({
      where: { id: routerId, isEdge: true, isTunnelerEnabled: true },
      select: { id: true },
    }),
  );
  return router !== null;
}
