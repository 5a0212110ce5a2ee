import { compareBytes } from '../../base/byte-order.js';
import { routers, type SessionRouter as StoredRouter } from '../../data/rows/router/index.js';
import {
  attribute,
  bool,
  int,
  json,
  map,
  objects,
  text,
  type RestShape,
} from '../../kernel/declare/attribute.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { JsonObject } from '../../base/row.js';
import {
  addressesByProtocol,
  ProtocolAddress,
  protocolAddresses,
} from '../routers/protocol-address.js';
import { reportOf, syncStatusOf } from '../routers/router-state.js';

const MAX_ROUTERS = 25;

/** The view of a router that can carry a session, for clients that dial it. */
export class SessionRouter {
  @attribute(text(), { description: 'Id of the router.' })
  routerId!: string;

  @attribute(text(), { description: 'Its name.' })
  routerName!: string;

  @attribute(text(), { description: 'Name of its host while connected.' })
  hostname!: string;

  @attribute(bool(), { description: 'Is connected now and not disabled.' })
  isOnline!: boolean;

  @attribute(objects(() => ProtocolAddress), {
    description: 'The addresses for clients, while connected.',
  })
  supportedProtocols!: ProtocolAddress[];

  @attribute(text(), { description: 'Its progress in reading the model.' })
  syncStatus!: string;

  @attribute(int(), { description: 'Added to the cost of paths through it.' })
  cost!: number;

  @attribute(bool(), { description: 'Carries no traffic between other routers.' })
  noTraversal!: boolean;

  @attribute(bool(), { description: 'May not connect.' })
  disabled!: boolean;

  @attribute(map(), { description: 'Free data for applications.' })
  appData!: JsonObject;
}

/** REST clients have no id here, and find the addresses under two names. */
export const ROUTERS_ON_REST: RestShape = {
  type: json(),
  of: (routers: readonly SessionRouter[]) =>
    routers.map((router) => {
      const addresses = addressesByProtocol(router.supportedProtocols);
      return {
        name: router.routerName,
        hostname: router.hostname,
        isOnline: router.isOnline,
        supportedProtocols: addresses,
        urls: addresses,
        syncStatus: router.syncStatus,
        cost: router.cost,
        noTraversal: router.noTraversal,
        disabled: router.disabled,
        appData: router.appData,
      };
    }),
};

/**
 * Gives the routers that identity and service of a session share, enrolled or not, online ones first:
 * the same as `clientEdgeRouters` of the service, in the form for clients that dial.
 */
export const edgeRoutersOfSession = computeFrom<'Session'>()(
  ['identityId', 'serviceId'],
  async (rows, ctx) => {
    const index = ctx.modules.policy;
    const common = rows.map(({ identityId, serviceId }) =>
      index.commonRouters(identityId, serviceId),
    );
    const ids = [...new Set(common.flat())];
    if (ids.length === 0) return rows.map(() => []);
    const shared = await routers.ofSessions(ctx.store, ids);
    const views = new Map(shared.map((row) => [row.id, routerView(ctx, row)]));
    return common.map((list) =>
      list
        .toSorted(compareBytes)
        .flatMap((id) => views.get(id) ?? [])
        .sort((a, b) => Number(b.isOnline) - Number(a.isOnline))
        .slice(0, MAX_ROUTERS),
    );
  },
);

function routerView(ctx: RequestContext, row: StoredRouter): SessionRouter {
  const { id, disabled, isVerified } = row;
  const report = reportOf(ctx, { id, disabled, isVerified });
  return {
    routerId: id,
    routerName: row.name,
    hostname: report?.hostname ?? '',
    isOnline: report !== undefined,
    supportedProtocols: protocolAddresses(report?.listeners),
    syncStatus: syncStatusOf(report),
    cost: row.cost,
    noTraversal: row.noTraversal,
    disabled,
    appData: row.appData,
  };
}
