import type { RouteAnswer, RouteFailure, RouteOrder, RouterPort } from '../fabric/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import { messages } from '../messages/index.js';
import type { Frame } from './frame.js';
import { readText } from './header-values.js';

/** The headers of the answer to a route; the addresses are those of the connection to the host. */
const RESULT_HEADER = {
  attempt: 1101,
  isDone: 1102,
  text: 1103,
  code: 1104,
  localAddress: 1110,
  remoteAddress: 1111,
} as const;
const NO_PEER_DATA: readonly number[] = Object.values(RESULT_HEADER);
/** The peer data among the headers of an answer. */
const FIRST_PEER_DATA = 1_000;

const NANOS_PER_MILLI = 1_000_000;

const FAILURES: readonly RouteFailure[] = [
  'generic',
  'invalid terminator',
  'misconfigured terminator',
  'dial timed out',
  'connection refused',
];

/** The connected routers, as far as orders need them. */
export interface OrderedRouters {
  /** A router, while it is connected. */
  router(id: string): ConnectedRouter | undefined;
  routersChanged(ids: readonly string[]): void;
}

/** Sends the orders of the fabric to connected routers. */
export function routerOrders(routers: () => OrderedRouters): RouterPort {
  const router = (id: string): ConnectedRouter | undefined => routers().router(id);
  return {
    isConnected: (routerId) => router(routerId) !== undefined,
    judgesPosture: (routerId) => router(routerId)?.judgesPosture === true,
    async route(routerId, { egress, forwards, ...order }: RouteOrder, millis) {
      const message = {
        ...order,
        egress: egress ?? undefined,
        forwards: [...forwards],
        timeout: millis * NANOS_PER_MILLI,
      };
      const answer = await router(routerId)?.ask(CONTENT.route, messages.Route, message, millis);
      return answer ? routeAnswer(answer) : NO_ANSWER;
    },
    unroute: (routerId, circuitId, now) => {
      router(routerId)?.tell(CONTENT.unroute, messages.Unroute, { circuitId, now });
    },
    closeLink: (routerId, id, iteration) => {
      const fault = { subject: 'LinkFault', id, iteration } as const;
      router(routerId)?.tell(CONTENT.fault, messages.Fault, fault);
    },
    routersDeleted: (ids) => {
      routers().routersChanged(ids);
    },
  };
}

const NO_ANSWER: RouteAnswer = {
  isDone: false,
  reason: 'no answer',
  text: 'a router did not answer in time',
};

function routeAnswer({ headers }: Frame): RouteAnswer {
  if (headers.has(RESULT_HEADER.isDone)) {
    const peerData = [...headers].filter(
      ([key]) => key >= FIRST_PEER_DATA && !NO_PEER_DATA.includes(key),
    );
    return { isDone: true, peerData: new Map(peerData) };
  }
  const reason = FAILURES[headers.get(RESULT_HEADER.code)?.[0] ?? 0] ?? 'generic';
  return { isDone: false, reason, text: readText(headers.get(RESULT_HEADER.text)) };
}
