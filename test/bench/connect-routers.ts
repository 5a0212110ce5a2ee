import { messages } from '../../src/network/messages/emitted/messages.js';
import type { ConnectOrder, Connected, SimulatedRouters } from './routers-order.js';

type Enrolled = SimulatedRouters['routers'];

export interface RoutersToConnect {
  /** Connects a router, which reports these links at once; gives the number of its attempts. */
  connect(place: number, links: Buffer | undefined): Promise<number>;
  report(place: number, links: Buffer): void;
}

interface Report {
  readonly body: Buffer;
  readonly count: number;
}

/** The reports of links by router, made once: a router that connects again sends the same. */
const reports = new Map<string, Report>();

/**
 * Connects routers, so many at once. Those that connect for the first time report their links when
 * all are connected, since a router that was started anew has lost the links of others to it.
 */
export async function connectAll(
  order: ConnectOrder,
  enrolled: Enrolled,
  routers: RoutersToConnect,
): Promise<Connected> {
  const { from, to, atOnce, isAgain } = order;
  const places = Array.from({ length: to - from }, (_, i) => from + i);
  const reported = places.map((place) => reportOf(order, enrolled, place));
  const began = performance.now();
  let next = 0;
  let attempts = 0;
  const connectSome = async (): Promise<void> => {
    for (let i = next++; i < places.length; i = next++) {
      const links = isAgain ? reported[i]?.body : undefined;
      const ofRouter = await routers.connect(places[i] ?? 0, links);
      attempts += ofRouter;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, connectSome));
  const seconds = (performance.now() - began) / 1000;
  for (const [i, report] of reported.entries()) {
    if (report && !isAgain) routers.report(places[i] ?? 0, report.body);
  }
  return {
    seconds,
    attempts,
    links: reported.reduce((sum, report) => sum + (report?.count ?? 0), 0),
  };
}

function reportOf(order: ConnectOrder, enrolled: Enrolled, place: number): Report | undefined {
  if (order.links === 'none') return undefined;
  const key = `${order.links} ${String(place)} ${String(order.to)}`;
  const report = reports.get(key) ?? newReport(order, enrolled, place);
  reports.set(key, report);
  return report;
}

function newReport({ from, to, links }: ConnectOrder, enrolled: Enrolled, place: number): Report {
  const others = enrolled.slice(from, to).flatMap((router, i) => {
    const other = from + i;
    const isLinked = links === 'in a row' ? other === place + 1 : isDialer(place, other);
    return isLinked ? [linkTo(router, `${String(place)}-${String(other)}`)] : [];
  });
  return { body: messages.RouterLinks.encode({ links: others }), count: others.length };
}

/** Of two routers one dials the other; each router dials half of the others. */
const isDialer = (place: number, other: number): boolean =>
  place !== other && ((place + other) % 2 === 0) === place < other;

function linkTo({ id, name }: Enrolled[number], places: string) {
  const remoteAddr = `tls:${name}.example:10080`;
  return {
    id: `link-${places}`,
    destRouterId: id,
    linkProtocol: 'tls',
    dialAddress: remoteAddr,
    iteration: 1,
    connState: {
      stateIteration: 1,
      conns: [{ type: 'single', localAddr: `tls:10.0.0.1:40000`, remoteAddr }],
    },
  };
}
