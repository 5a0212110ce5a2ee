import { accessDiff, type Simulation } from '../what-if/simulation.js';
import { accessTotal, AccessTotals } from '../pairs/access-pairs.js';
import { inSlices, type Sliced } from '../../../base/slices.js';
import { ModelSnapshot } from '../model/model-snapshot.js';
import type { AccessModel } from '../model/access-model.js';
import type { AccessQuery } from '../pairs/access-selection.js';
import type { ChangeStream } from '../../../data/changes/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type { RequestScope } from '../../../kernel/request/request-scope.js';
import type { Cursor, Rows, Store } from '../../../kernel/request/store-port.js';
import type { PolicyIndex } from '../../../kernel/policy/index.js';
import { futureModel, type FutureModel } from './future-model.js';
import { pastModel, PresentModel, type PastModel } from './past-model.js';
import { pointOf, type Point } from './point-in-time.js';

interface AnalystDependencies {
  readonly index: PolicyIndex;
  /** Not the store of a request, which may be bound to a state older than the index. */
  readonly store: Rows & Pick<Store, 'within'>;
  readonly stream: Pick<ChangeStream, 'position'>;
}

type Holdings = RequestContext['holdings'];

/** The network at another time than now. */
type OtherModel = PastModel | FutureModel;

/** Answers questions about the network in slices, between other requests. */
export class Analyst {
  readonly #totals = new AccessTotals();
  readonly #others = new WeakMap<Holdings, Map<string, Promise<OtherModel>>>();

  constructor(private readonly dependencies: AnalystDependencies) {}

  /** Gives the present network, held until the request ends. */
  model({ holdings }: Pick<RequestContext, 'holdings'>): PresentModel {
    const present = this.present();
    holdings.add(() => {
      present.release();
    });
    return present;
  }

  /** Gives the present network, held until `release`. */
  present(): PresentModel {
    const { index, stream } = this.dependencies;
    return new PresentModel(index, stream.position);
  }

  /**
   * Gives the network at present or at another point in time, held until the request ends.
   * @throws ApiError HISTORY_NOT_KEPT
   */
  modelAt(ctx: RequestContext, at: string | null | undefined): Promise<AccessModel> {
    if (at === null || at === undefined) return Promise.resolve(this.model(ctx));
    // The fields of many entities may ask for the same point.
    const models = this.#others.get(ctx.holdings) ?? new Map<string, Promise<OtherModel>>();
    this.#others.set(ctx.holdings, models);
    const model = models.get(at) ?? this.readModel(ctx, at);
    models.set(at, model);
    return model;
  }

  /**
   * Gives the network at a place in the log, valid as long as the present is held. The end of the
   * scope stops the reading.
   */
  past(present: PresentModel, place: Cursor, scope?: RequestScope): Promise<PastModel> {
    const { store } = this.dependencies;
    return pastModel(bound(store, scope), present, place, (work) => this.run(work));
  }

  /** Gives the differences between two points in time, or between one and the present. */
  async diff(
    ctx: RequestContext,
    from: string,
    to: string | null | undefined,
  ): Promise<Simulation> {
    const points = {
      from: await pointOf(ctx, 'from', from),
      to: to === null || to === undefined ? undefined : await pointOf(ctx, 'to', to),
    };
    const present = this.model(ctx);
    const before = await this.other(present, points.from, ctx);
    const after = points.to === undefined ? present : await this.other(present, points.to, ctx);
    const diff = await this.run(
      accessDiff(before, after, function* (kind) {
        yield* before.replaced(kind);
        if (after !== present) yield* after.replaced(kind);
      }),
    );
    return { ...diff, before, after };
  }

  /** Runs work in slices of a few milliseconds. */
  run<T>(work: Sliced<T>): Promise<T> {
    return inSlices(work);
  }

  /** Counts pairs. The total of all pairs is cached until the network changes. */
  total(model: AccessModel, query: AccessQuery): Promise<number> {
    return this.run(
      model instanceof ModelSnapshot ? this.#totals.total(model, query) : accessTotal(model, query),
    );
  }

  private async readModel(ctx: RequestContext, at: string): Promise<OtherModel> {
    const point = await pointOf(ctx, 'at', at);
    return this.other(this.model(ctx), point, ctx);
  }

  private other(
    present: PresentModel,
    point: Point,
    { scope }: RequestContext,
  ): Promise<OtherModel> {
    if (typeof point === 'string') return this.past(present, point, scope);
    const { store } = this.dependencies;
    return futureModel(bound(store, scope), present, point, (work) => this.run(work));
  }
}

const bound = (store: AnalystDependencies['store'], scope: RequestScope | undefined): Rows =>
  scope ? store.within(scope) : store;
