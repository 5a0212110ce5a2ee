import { expect } from '@jest/globals';
import type { JsonObject } from '../../../src/base/row.js';
import { judgeAccess } from '../../../src/access/enforcement/index.js';
import type { Change } from '../../../src/kernel/request/store-port.js';
import {
  indexedValue,
  PolicyIndex,
  type EntityKind,
  type PolicyValue,
} from '../../../src/kernel/policy/index.js';
import { DataModel } from '../../../src/network/data-model/data-model.js';
import { encodedChangeSet } from '../../../src/network/data-model/change-sets.js';
import { PublishedModel } from '../../../src/network/data-model/published-model.js';
import type { DataStatePostureCheck } from '../../../src/network/messages/emitted/messages.js';
import { PostureChecks, type PostureStore } from '../../../src/trust/posture/index.js';
import { pick, randomFrom } from '../../kill/random.js';
import { passesAtRouter, randomDevice, reportedTo, type Device } from './devices.js';
import { RandomLog } from './random-log.js';
import { StrictRouter } from './strict-router.js';

/*
 * A network with several controllers that follow one log, and routers that go from one to another, lose frames, and
 * decide by nothing but their models. Whatever happened, they decide as the policies and the posture checks do.
 */

const ROUTERS = 3;
const CONTROLLERS = 2;
/** The parts of access as the log has them now, judged by the functions of the controller. */
class Judge {
  readonly #index = new PolicyIndex();
  readonly #checks = new PostureChecks(this.#index);
  #count = 0;

  constructor(private readonly log: RandomLog) {}

  /** By the ids of identities and services and the type, separated by spaces. */
  async granted(devices: ReadonlyMap<string, Device | undefined>): Promise<Set<string>> {
    this.follow();
    const { log } = this;
    const checks = log.of('PostureCheck');
    const posture = {
      ofAll: (ids: readonly string[]) =>
        Promise.resolve(ids.map((id) => reportedTo(devices.get(id), checks, log.now))),
    } as unknown as PostureStore;
    const questions = pairsOf(log).map((pair) => ({ ...pair, apiSessionId: 'session' }));
    const dependencies = { index: this.#index, checks: this.#checks, posture };
    const verdicts = await judgeAccess(dependencies, questions, log.now);
    return new Set(questions.filter((_, i) => verdicts[i]?.isPassing === true).map(nameOf));
  }

  private follow(): void {
    const { history } = this.log;
    for (const change of history.slice(this.#count)) this.apply(change);
    this.#count = history.length;
  }

  private apply({ resource, id, after }: Pick<Change, 'resource' | 'id'> & Row): void {
    this.#checks.applyChange({ resource, id, after: after });
    const kind = resource.charAt(0).toLowerCase() + resource.slice(1);
    if (kind === 'servicePolicy') {
      if (!after) this.#index.removePolicy(kind, id);
      else {
        const value = indexedValue(kind, after) as PolicyValue<'servicePolicy'>;
        this.#index.putPolicy(kind, { ...value, id });
      }
    } else if (kind === 'identity' || kind === 'service' || kind === 'postureCheck') {
      const entity = kind satisfies EntityKind;
      if (!after) this.#index.removeEntity(entity, id);
      else {
        const { attributes } = indexedValue(entity, after) as { attributes: string[] };
        this.#index.putEntity(entity, { id, attributes });
      }
    }
  }
}

interface Row {
  readonly after: JsonObject | null;
}

interface Pair {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: 'Dial' | 'Bind';
}

const nameOf = ({ identityId, serviceId, type }: Pair): string =>
  `${identityId} ${serviceId} ${type}`;

const pairsOf = (log: RandomLog): Pair[] =>
  log.of('Identity').flatMap((identity) =>
    log.of('Service').flatMap((service) =>
      (['Dial', 'Bind'] as const).map((type) => ({
        identityId: identity.id as string,
        serviceId: service.id as string,
        type,
      })),
    ),
  );

/** A controller that follows the log, and lags behind it. */
class Controller {
  #upTo: string;

  private constructor(
    private readonly log: RandomLog,
    readonly published: PublishedModel,
    upTo: string,
    private readonly random: () => number,
  ) {
    this.#upTo = upTo;
  }

  static async start(log: RandomLog, random: () => number): Promise<Controller> {
    const from = log.undoableFrom;
    const transactions = log.commits.map(({ transaction }) => transaction);
    const begin = pick(random, [from, ...transactions.filter((one) => one >= from)]);
    const { rows, later } = log.at(begin);
    const read = later.slice(0, Math.floor(random() * (later.length + 1)));
    const end = log.endOf(read.at(-1)?.transaction ?? begin);
    const model = new DataModel();
    model.fill(rows);
    const published = await PublishedModel.from(
      {
        // Nothing is known of places that this one has not read.
        store: { query: () => Promise.resolve([{ isUnchanged: false }]) } as never,
        catalog: undefined as never,
        timelineId: log.timelineId,
        onSets: () => undefined,
        onFault: (_, error) => {
          throw error;
        },
      },
      {
        ...{ model, end, place: log.endOf(begin), exactFrom: log.endOf(begin) },
        changes: read.flatMap(({ changes }) => changes),
      },
    );
    return new Controller(log, published, end, random);
  }

  /** Reads on in slices, of which only the last one ends with a commit. */
  read(toEnd: boolean): void {
    const news = this.log.commits.flatMap(({ changes }) =>
      changes.filter(({ cursor }) => cursor > this.#upTo),
    );
    while (news.length > 0) {
      const slice = news.splice(0, 1 + Math.floor(this.random() * 8));
      const isEnd = news.length === 0;
      this.published.apply({ changes: slice as never, isEnd });
      this.#upTo = slice.at(-1)?.cursor ?? this.#upTo;
      if (!toEnd && isEnd) return;
    }
  }
}

/** Counts of what happened, so that a test can see that all of it did. */
export interface Happened {
  changes: number;
  decisions: number;
  sets: number;
  wholes: number;
  setsAfterTakeOver: number;
  gaps: number;
  restores: number;
}

export class Simulation {
  readonly #random: () => number;
  readonly #log: RandomLog;
  readonly #judge: Judge;
  #controllers: Controller[] = [];
  readonly #routers = Array.from({ length: ROUTERS }, () => ({
    router: new StrictRouter(),
    at: 0,
  }));

  constructor(
    seed: number,
    private readonly happened: Happened,
  ) {
    this.#random = randomFrom(seed);
    this.#log = new RandomLog(this.#random);
    this.#judge = new Judge(this.#log);
  }

  async run(commits: number): Promise<void> {
    for (let i = 0; i < CONTROLLERS; i += 1) await this.startController(i);
    for (let i = 0; i < commits; i += 1) {
      this.#log.commit();
      if (this.#random() < 0.3) this.#log.commitTime();
      await this.disturb();
      for (const controller of this.#controllers) {
        if (this.#random() < 0.8) controller.read(true);
      }
      for (let j = 0; j < ROUTERS; j += 1) await this.serve(j);
      await this.check(i % 8 === 0);
    }
    this.happened.changes += this.#log.history.length;
  }

  private async startController(i: number): Promise<void> {
    this.#controllers[i] = await Controller.start(this.#log, this.#random);
  }

  private async disturb(): Promise<void> {
    const chance = this.#random();
    if (chance < 0.1) await this.startController(Math.floor(this.#random() * CONTROLLERS));
    else if (chance < 0.13) {
      // A feed that has not read so far would end.
      for (const controller of this.#controllers) controller.read(true);
      this.#log.prune(Math.floor(this.#random() * 5));
    } else if (chance < 0.15) {
      this.happened.restores += 1;
      this.#log.restore();
      for (let i = 0; i < CONTROLLERS; i += 1) await this.startController(i);
    }
  }

  /** The router goes on where it is, or comes to another controller; frames are lost. */
  private async serve(i: number): Promise<void> {
    const place = this.#routers[i];
    if (!place) return;
    const { router } = place;
    const at = this.#random() < 0.3 ? Math.floor(this.#random() * CONTROLLERS) : place.at;
    const isTakenOver = at !== place.at;
    place.at = at;
    const { published } = this.controllerOf(at);
    const isComparable = router.index > 0 && router.timelineId === published.timelineId;
    const start = isComparable ? await published.startAfter(router.index) : undefined;
    if (!start) {
      this.happened.wholes += 1;
      router.takeState((await published.fullState()).body);
      return;
    }
    if (isTakenOver) this.happened.setsAfterTakeOver += 1;
    this.sendSets(router, published, start);
  }

  private controllerOf(at: number): Controller {
    const controller = this.#controllers[at];
    if (!controller) throw new Error('there is no such controller');
    return controller;
  }

  private sendSets(
    router: StrictRouter,
    published: PublishedModel,
    start: { readonly index: number; readonly previousIndex: number },
  ): void {
    let { index, previousIndex } = start;
    let isLost = false;
    for (let set = published.after(index); set; set = published.after(index)) {
      const body = encodedChangeSet(set, previousIndex);
      ({ index } = set);
      if (isLost && previousIndex !== 0) {
        // The router notices, and asks again with its index.
        expect(() => {
          router.takeSet(body);
        }).toThrow('a gap');
        this.happened.gaps += 1;
        return;
      }
      isLost = previousIndex !== 0 && this.#random() < 0.02;
      previousIndex = index;
      if (isLost) continue;
      router.takeSet(body);
      this.happened.sets += 1;
    }
  }

  private async check(isFull: boolean): Promise<void> {
    for (const { published } of this.#controllers.slice(0, isFull ? CONTROLLERS : 0)) {
      const whole = new StrictRouter();
      whole.takeState((await published.fullState()).body);
    }
    const place = pick(this.#random, this.#routers);
    const controller = this.controllerOf(place.at);
    controller.read(true);
    await this.serveOn(place.router, controller.published);
    await this.checkDecisions(place.router);
    if (!isFull) return;
    const whole = new StrictRouter();
    const { published } = controller;
    whole.takeState((await published.fullState()).body);
    await this.serveOn(whole, published);
    expect(place.router.state).toEqual(whole.state);
    expect(place.router.index).toBe(whole.index);
  }

  /** Sends all that a router lacks, and loses nothing. */
  private async serveOn(router: StrictRouter, published: PublishedModel): Promise<void> {
    const isComparable = router.index > 0 && router.timelineId === published.timelineId;
    const start = isComparable ? await published.startAfter(router.index) : undefined;
    if (!start) router.takeState((await published.fullState()).body);
    let { index, previousIndex } = start ?? { index: router.index, previousIndex: 0 };
    for (let set = published.after(index); set; set = published.after(index)) {
      router.takeSet(encodedChangeSet(set, previousIndex));
      ({ index } = set);
      previousIndex = index;
    }
  }

  private async checkDecisions(router: StrictRouter): Promise<void> {
    const log = this.#log;
    const { now } = log;
    const devices = new Map(
      log.of('Identity').map(({ id }) => [id as string, randomDevice(this.#random, now)]),
    );
    const granted = await this.#judge.granted(devices);
    const allowed = pairsOf(log).filter(({ identityId, serviceId, type }) =>
      router.allows(identityId, serviceId, type, (checkId) => {
        const check = router.entity('postureCheck', checkId) as DataStatePostureCheck;
        return passesAtRouter(check, devices.get(identityId), now);
      }),
    );
    this.happened.decisions += pairsOf(log).length;
    expect(new Set(allowed.map(nameOf))).toEqual(granted);
    const [identities, revocations] = [log.of('Identity'), log.of('Revocation')];
    const at = (kind: 'identity' | 'revocation') => (row: { readonly id?: unknown }) =>
      router.entity(kind, row.id as string);
    // One expectation for all: each of them costs more than the decisions of an identity.
    expect([...identities.map(at('identity')), ...revocations.map(at('revocation'))]).toMatchObject(
      [
        ...identities.map(({ disabledAt }) => ({ disabled: disabledAt !== null })),
        ...revocations.map(({ type }) => ({ type })),
      ],
    );
  }
}

export const nothingHappened = (): Happened => ({
  ...{ changes: 0, decisions: 0, sets: 0, wholes: 0 },
  ...{ setsAfterTakeOver: 0, gaps: 0, restores: 0 },
});
