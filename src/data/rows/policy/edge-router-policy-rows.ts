import type { Rows } from '../../../kernel/request/store-port.js';

/** Gives the ids of the policies that the controller creates itself, for routers with a tunneler. */
export async function idsOfSystem(rows: Rows): Promise<string[]> {
  const policies = await rows.readModel((models) =>
    models.edgeRouterPolicy.findMany({ where: { isSystem: true }, select: { id: true } }),
  );
  return policies.map(({ id }) => id);
}
