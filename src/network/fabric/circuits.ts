import { largeCache } from '../../base/large-cache.js';
import { newId } from '../../base/ids.js';
import { services } from '../../data/rows/service/index.js';
import {
  sessionFacts,
  terminators,
  type DialedTerminator,
  type DialFacts,
} from '../../data/rows/terminator/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import type { PolicyIndex } from '../../kernel/policy/index.js';
import { chooseTerminator, type Candidate } from './choose-terminator.js';
import { CircuitEnds } from './circuit-ends.js';
import {
  DialRefusal,
  PEER_DATA,
  tagsOf,
  type Circuit,
  type CircuitDial,
  type Dial,
  type DialFailure,
  type Dialed,
  type DialRequest,
} from './circuit.js';
import { CircuitTable } from './circuit-table.js';
import { CIRCUIT_FAILURES, type FabricFact } from './fabric-fact.js';
import { LateDials } from './late-dials.js';
import type { Paths } from './paths.js';
import type { PostureGuard } from './posture-guard.js';
import type { RouteAnswer, RouterPort } from './router-port.js';
import { routesOf } from './routes.js';
import { StateStore } from './state-store.js';
import { circuitsIn, readCircuits } from './stored-circuits.js';
import { costsIn } from './stored-costs.js';
import { TerminatorCosts } from './terminator-costs.js';
import type { UseObserver } from './use-observer.js';

export interface CircuitsOptions {
  readonly store: Rows;
  readonly index: Pick<PolicyIndex, 'commonRouters'>;
  readonly paths: Paths;
  readonly routers: RouterPort;
  readonly posture: PostureGuard;
  readonly isOwner?: (() => boolean) | undefined;
  readonly now: () => Date;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** A router says that it does not have this terminator. */
  readonly onInvalidTerminator: (terminator: DialedTerminator) => Promise<void>;
  readonly onFact?: ((fact: FabricFact) => void) | undefined;
  readonly onUse?: UseObserver | undefined;
  readonly onError: (error: unknown) => void;
}

const ATTEMPTS = 2;
/** A router without a free place for the route does not answer. */
const ROUTE_MILLIS = 10_000;
/** The attempt of routes for a circuit that exists, by which routers tell them apart. */
const REROUTE = 99_969_996;
const REROUTES = 2;
const REMEMBERED_SESSIONS = 10_000;
/** A second fault within this time is not mended by routes. */
const REPAIR_MILLIS = 60_000;

/** The circuits that this controller made or took over. */
export class Circuits {
  readonly #circuits = new CircuitTable();
  readonly lateDials: LateDials;
  readonly costs: TerminatorCosts;
  readonly ends: CircuitEnds;
  readonly #stored: StateStore<Circuit>;
  /** Sessions that ended lately: a dial that began before may be under way. */
  readonly #endedSessions = largeCache<true>(REMEMBERED_SESSIONS);
  /** Circuits whose routes were sent again after a fault, for a while. */
  readonly #repaired = largeCache<true>(REMEMBERED_SESSIONS, REPAIR_MILLIS);

  constructor(private readonly options: CircuitsOptions) {
    this.lateDials = new LateDials(options.now);
    this.ends = new CircuitEnds(options.routers, options.now);
    this.#stored = new StateStore({ ...options, table: circuitsIn(options.store) });
    this.costs = new TerminatorCosts({ ...options, table: costsIn(options.store) });
  }

  /** Takes over the circuits of an earlier owner. */
  async load(): Promise<void> {
    this.#stored.forget();
    const { live, ended } = await readCircuits(this.options.store);
    this.#circuits.clear();
    for (const circuit of live) this.#circuits.put(circuit);
    await this.costs.load(live.map(({ terminatorId }) => terminatorId));
    // The news of these ends came while the circuits were read.
    const missed = live.filter(({ sessionId }) => this.#endedSessions.has(sessionId));
    this.endOfSessions(missed.map(({ sessionId }) => sessionId));
    for (const circuit of ended) {
      this.#stored.remove(circuit);
      this.ends.unroute(circuit.routerIds, circuit.id, true);
    }
  }

  get(id: string): Circuit | undefined {
    return this.#circuits.get(id);
  }

  all(): Circuit[] {
    return this.#circuits.all();
  }

  /** Stores all circuits, which the database has lost. */
  storeAgain(): void {
    for (const circuit of this.#circuits.all()) this.#stored.put(circuit);
    this.costs.storeAgain();
  }

  /** Gives a circuit that exists, or has ended a few minutes ago. */
  lately(id: string): Circuit | undefined {
    return this.#circuits.get(id) ?? this.ends.lately(id);
  }

  ofSession(sessionId: string): Circuit[] {
    return this.#circuits.ofSession(sessionId);
  }

  /**
   * Makes a circuit from a client of a router to a host of the service of its session.
   * @throws DialRefusal
   */
  async dial(routerId: string, request: DialRequest): Promise<Dialed> {
    const { store, posture, now } = this.options;
    const begunAt = now();
    const circuitId = newId();
    if (this.lateDials.isLate(routerId)) {
      throw new DialRefusal('late dial', 'the router was without a controller', circuitId);
    }
    const presented = await sessionFacts.ofDial(store, request.session, request.instanceId);
    const facts = this.allowed(presented, routerId, circuitId);
    if (!(await posture.allows(request.session, facts, routerId))) {
      throw new DialRefusal('invalid session', 'a posture check fails', circuitId);
    }
    if (facts.encryptionRequired && !request.peerData.has(PEER_DATA.publicKey)) {
      throw new DialRefusal('encryption data missing', 'the client sent no public key', circuitId);
    }
    const dial = { routerId, request, facts, begunAt };
    try {
      return await this.makeCircuit(dial, circuitId);
    } catch (error) {
      if (error instanceof DialRefusal) this.reportFailure(dial, error);
      throw error;
    }
  }

  /** Ends a circuit, if this router is on its path. */
  endFrom(routerId: string, id: string): void {
    const circuit = this.#circuits.get(id);
    if (circuit?.routerIds.includes(routerId)) this.end(circuit, false);
  }

  /** Ends a circuit; `now` drops what is under way. */
  end(circuit: Circuit, now: boolean): void {
    if (!this.#circuits.delete(circuit)) return;
    this.ends.add(circuit);
    const millis = this.millisSince(circuit.createdAt);
    this.options.onFact?.({ kind: 'circuitEnded', circuit, millis });
    this.costs.ended(circuit.terminatorId);
    this.#stored.remove(circuit);
    this.ends.unroute(circuit.routerIds, circuit.id, now);
  }

  /** Ends the circuits of sessions that have ended, at once. */
  endOfSessions(sessionIds: readonly string[]): void {
    for (const sessionId of sessionIds) {
      this.#endedSessions.set(sessionId, true);
      for (const circuit of this.ofSession(sessionId)) this.end(circuit, true);
    }
  }

  /** Ends the circuits of sessions whose posture fails, where the controller judges it. */
  endUnfit(sessionIds: readonly string[]): void {
    for (const circuit of sessionIds.flatMap((id) => this.ofSession(id))) {
      if (this.options.posture.isInChargeAt(circuit.routerIds[0] ?? '')) this.end(circuit, true);
    }
  }

  /** Ends the circuits of clients of a router whose posture has failed meanwhile. */
  async endFailing(routerId: string): Promise<void> {
    const { posture } = this.options;
    if (!posture.isInChargeAt(routerId)) return;
    const begun = this.all().filter(({ routerIds }) => routerIds[0] === routerId);
    this.endUnfit(await posture.failing(begun.map(({ sessionId }) => sessionId)));
  }

  /**
   * A router reports circuits without traffic, and for how long. It drops those that are not known to
   * be over it; an end of a circuit decides whether the circuit was idle for too long.
   */
  async confirm(routerId: string, idleMillis: ReadonlyMap<string, number>): Promise<void> {
    this.dropUnknown(routerId, [...idleMillis.keys()]);
    const ending = [...idleMillis.keys()].flatMap((id) => {
      const circuit = this.#circuits.get(id);
      const isEnd = circuit?.routerIds[0] === routerId || circuit?.routerIds.at(-1) === routerId;
      return circuit && isEnd ? [circuit] : [];
    });
    const serviceIds = [...new Set(ending.map(({ serviceId }) => serviceId))];
    const limits = await services.idleLimits(this.options.store, serviceIds);
    for (const circuit of ending) {
      const limit = limits.get(circuit.serviceId) ?? Infinity;
      if ((idleMillis.get(circuit.id) ?? 0) > limit) this.end(circuit, true);
    }
  }

  /** Ends circuits at a router that are not known to be over it. */
  dropUnknown(routerId: string, ids: readonly string[]): void {
    for (const id of ids) {
      if (this.#circuits.get(id)?.routerIds.includes(routerId)) continue;
      this.options.routers.unroute(routerId, id, true);
    }
  }

  /**
   * A router can not forward what comes for these circuits. They get their routes again; one that
   * still can not be forwarded has lost an end, whose other end would wait for it.
   */
  async forwardFault(routerId: string, ids: readonly string[]): Promise<void> {
    this.dropUnknown(routerId, ids);
    const first: Circuit[] = [];
    for (const id of new Set(ids)) {
      const circuit = this.#circuits.get(id);
      if (circuit?.routerIds.includes(routerId) !== true) continue;
      if (this.#repaired.has(id)) this.end(circuit, true);
      else {
        this.#repaired.set(id, true);
        first.push(circuit);
      }
    }
    await this.rerouteAll(first);
  }

  /** Finds other paths for the circuits over these links; those without one end. */
  async leaveLinks(linkIds: ReadonlySet<string>): Promise<void> {
    await this.rerouteAll(
      this.#circuits.all().filter((circuit) => circuit.linkIds.some((id) => linkIds.has(id))),
    );
  }

  /** Moves circuits to the cheapest paths of now; those without a path end. */
  async rerouteAll(circuits: readonly Circuit[]): Promise<void> {
    await Promise.all(circuits.map((circuit) => this.reroute(circuit)));
  }

  /** A router is connected: it has no circuits if it was started anew. */
  routerConnected(routerId: string, isNew: boolean): void {
    this.lateDials.connected(routerId, isNew);
    if (isNew) {
      this.ends.forget(routerId);
      for (const circuit of this.#circuits.over(routerId)) this.end(circuit, true);
    } else this.ends.tell(routerId);
  }

  /** Ends the circuits over a router that may carry none any more, also at this router. */
  routerBarred(routerId: string): void {
    for (const circuit of this.#circuits.over(routerId)) this.end(circuit, true);
  }

  /** Ends the circuits whose client or host may not use its router any more. */
  endOverForbiddenRouters(): void {
    for (const circuit of this.#circuits.all()) {
      const { identityId, serviceId, routerIds } = circuit;
      const isAllowed =
        this.mayUse(identityId, serviceId, routerIds[0] ?? '') &&
        this.mayHost({ ...circuit, routerId: routerIds.at(-1) ?? '' }, serviceId);
      if (!isAllowed) this.end(circuit, true);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.#stored.stop(), this.costs.stop()]);
  }

  /** Makes a circuit to a host; when that fails, perhaps to another one. */
  private async makeCircuit(dial: Dial, firstId: string): Promise<Dialed> {
    let circuitId = firstId;
    let failed: FailedRoute | undefined;
    const excluded = new Set<string>();
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { terminator, path } = this.choose({ ...dial, circuitId }, excluded, failed);
      const circuit = this.circuitOf({ ...dial, circuitId }, terminator, path);
      const answer = await this.establish(circuit, attempt, terminator, dial.request);
      if (answer.isDone) return this.complete(dial, circuit, { terminator, path }, answer.peerData);
      failed = answer;
      this.costs.failed(terminator.id);
      if (answer.reason === 'invalid terminator') {
        excluded.add(terminator.id);
        await this.options.onInvalidTerminator(terminator);
      }
      // The end of the failed circuit may reach a router after the next one.
      circuitId = newId();
    }
    throw new DialRefusal('routing failed', failed?.text ?? '', circuitId, failed?.reason);
  }

  private reportFailure(
    { facts, request: { instanceId }, begunAt }: Dial,
    { reason, routeFailure, circuitId }: DialRefusal,
  ): void {
    const failure = routeFailure ?? CIRCUIT_FAILURES.find((each) => each === reason);
    if (failure === undefined) return;
    const { id: sessionId, serviceId } = facts;
    const millis = this.millisSince(begunAt);
    const ids = { circuitId, sessionId, serviceId, instanceId };
    this.options.onFact?.({ kind: 'circuitFailed', ...ids, failure, millis });
  }

  private millisSince(at: Date): number {
    return Math.max(0, this.options.now().getTime() - at.getTime());
  }

  private allowed(facts: DialFacts | undefined, routerId: string, circuitId: string): DialFacts {
    const refuse = (reason: DialFailure, text: string) => new DialRefusal(reason, text, circuitId);
    if (!facts) throw refuse('invalid session', 'the client has no such session');
    if (facts.type !== 'Dial') throw refuse('wrong session type', 'the session is not for dialing');
    if (!this.mayUse(facts.identityId, facts.serviceId, routerId)) {
      throw refuse('invalid router', 'the session may not use this router');
    }
    return facts;
  }

  private mayUse(identityId: string, serviceId: string, routerId: string): boolean {
    return this.options.index.commonRouters(identityId, serviceId).includes(routerId);
  }

  /** Whether the host of a terminator may still use its router; others may always. */
  private mayHost(
    terminator: Pick<DialedTerminator, 'binding' | 'hostId' | 'routerId'>,
    serviceId: string,
  ): boolean {
    const { hostId, routerId } = terminator;
    return !terminators.isHosted(terminator) || this.mayUse(hostId, serviceId, routerId);
  }

  private choose(
    { routerId, request, circuitId, facts }: CircuitDial,
    excluded: ReadonlySet<string>,
    failed: FailedRoute | undefined,
  ): Candidate {
    const { routers, paths, random } = this.options;
    const failure = failed?.text ?? '';
    const refuse = (reason: DialFailure, text: string) =>
      new DialRefusal(reason, failure === '' ? text : failure, circuitId, failed?.reason);
    const hosts = facts.terminators.filter(
      (terminator) => !excluded.has(terminator.id) && this.mayHost(terminator, facts.serviceId),
    );
    if (hosts.length === 0) throw refuse('no terminators', 'the service has no terminators');
    const online = hosts.filter((terminator) => routers.isConnected(terminator.routerId));
    if (online.length === 0) {
      throw refuse('no online terminators', 'no router of a terminator is connected');
    }
    const candidates = online.flatMap((terminator) => {
      const path = paths.between(routerId, terminator.routerId);
      if (!path) return [];
      const cost = terminator.cost + this.costs.of(terminator.id) + path.cost;
      return [{ terminator, path, cost }];
    });
    const chosen = chooseTerminator(candidates, {
      strategy: facts.terminatorStrategy,
      stickyId: request.peerData.get(PEER_DATA.stickiness)?.toString() ?? '',
      random,
    });
    if (!chosen) throw refuse('no path', 'there is no path to a terminator');
    return chosen;
  }

  private circuitOf(
    { circuitId, facts, request: { instanceId } }: CircuitDial,
    terminator: DialedTerminator,
    { routerIds, linkIds }: Candidate['path'],
  ): Circuit {
    return {
      id: circuitId,
      sessionId: facts.id,
      serviceId: facts.serviceId,
      identityId: facts.identityId,
      hostId: terminator.hostId,
      terminatorId: terminator.id,
      instanceId,
      binding: terminator.binding,
      routerIds,
      linkIds,
      ingress: newId(),
      egress: newId(),
      createdAt: this.options.now(),
    };
  }

  /** Has all routers of the path route the circuit at once; gives the answer of the last one. */
  private async establish(
    circuit: Circuit,
    attempt: number,
    { address }: DialedTerminator,
    { peerData }: DialRequest,
  ): Promise<RouteAnswer> {
    const orders = routesOf(circuit, { attempt, host: { destination: address, peerData } });
    const answers = await Promise.all(
      [...orders].map(([id, order]) => this.options.routers.route(id, order, ROUTE_MILLIS)),
    );
    const failed = answers.find((answer): answer is FailedRoute => !answer.isDone);
    if (failed) this.ends.unroute(circuit.routerIds, circuit.id, true);
    const atHost = answers.at(-1) as RouteAnswer;
    const { serviceId, terminatorId } = circuit;
    const ids = { serviceId, terminatorId };
    const isAtHost = failed === atHost;
    this.options.onFact?.({ kind: 'dialAnswered', ...ids, failure: failed?.reason, isAtHost });
    return failed ?? atHost;
  }

  private complete(
    { facts, begunAt }: Dial,
    circuit: Circuit,
    { terminator, path }: Pick<Candidate, 'terminator' | 'path'>,
    fromHost: ReadonlyMap<number, Buffer>,
  ): Dialed {
    const peerData = new Map([...storedPeerData(terminator), ...fromHost]);
    if (facts.terminatorStrategy === 'sticky') {
      peerData.set(PEER_DATA.stickiness, Buffer.from(terminator.id));
    }
    this.costs.succeeded(terminator.id);
    this.#circuits.put(circuit);
    const millis = this.millisSince(begunAt);
    this.options.onFact?.({ kind: 'circuitCreated', circuit, millis, pathCost: path.cost });
    const circuitId = circuit.id;
    if (this.#endedSessions.has(facts.id)) {
      this.end(circuit, true);
      throw new DialRefusal('invalid session', 'the session has ended', circuitId);
    }
    if (facts.encryptionRequired && !peerData.has(PEER_DATA.publicKey)) {
      this.end(circuit, true);
      throw new DialRefusal('encryption data missing', 'the host sent no public key', circuitId);
    }
    this.#stored.put(circuit);
    const { identityId, serviceId } = circuit;
    this.options.onUse?.({ identityId, serviceId, type: 'Dial' });
    return { circuit, peerData, tags: tagsOf(circuit) };
  }

  /** Moves a circuit to the cheapest path of now, or ends it. */
  private async reroute(circuit: Circuit): Promise<void> {
    for (let attempt = 0; attempt < REROUTES; attempt += 1) {
      const path = this.options.paths.between(
        circuit.routerIds[0] ?? '',
        circuit.routerIds.at(-1) ?? '',
      );
      if (!path) break;
      const moved = { ...circuit, routerIds: path.routerIds, linkIds: path.linkIds };
      const answers = await Promise.all(
        [...routesOf(moved, { attempt: REROUTE })].map(([id, order]) =>
          this.options.routers.route(id, order, ROUTE_MILLIS),
        ),
      );
      // It may have ended meanwhile.
      if (!this.#circuits.get(circuit.id)) {
        this.ends.unroute(moved.routerIds, moved.id, true);
        return;
      }
      if (answers.every(({ isDone }) => isDone)) {
        this.#circuits.put(moved);
        this.#stored.put(moved);
        this.options.onFact?.({ kind: 'circuitMoved', circuit: moved, pathCost: path.cost });
        const left = circuit.routerIds.filter((id) => !moved.routerIds.includes(id));
        this.ends.unroute(left, moved.id, true);
        return;
      }
    }
    const current = this.#circuits.get(circuit.id);
    if (current) this.end(current, true);
  }
}

type FailedRoute = Extract<RouteAnswer, { readonly isDone: false }>;

const storedPeerData = ({ peerData }: DialedTerminator): [number, Buffer][] =>
  Object.entries(peerData).map(([key, value]) => [Number(key), Buffer.from(value, 'base64')]);
