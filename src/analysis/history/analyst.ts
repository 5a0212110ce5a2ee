import { performance } from 'node:perf_hooks';
import { setImmediate as immediately } from 'node:timers/promises';
import { accessDiff, type Simulation } from '../simulation.js';
import { accessTotal, AccessTotals } from '../access-pairs.js';
import { inSlices, type Sliced } from '../slices.js';
import { ModelSnapshot } from '../model-snapshot.js';
import type { AccessModel } from '../access-model.js';
import type { AccessQuery } from '../access-selection.js';
import type { ChangeStream } from '../../changes/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Cursor, Store } from '../../kernel/request/store-port.js';
import type { PolicyIndex } from '../../policy/index.js';
import { pastModel, PresentModel, type PastModel } from './past-model.js';
import { placeOf } from './point-in-time.js';

interface Parts {
  readonly index: PolicyIndex;
  /** Not that of a request, which may be bound to a state that is older than the index. */
  readonly store: Pick<Store, 'query'>;
  readonly stream: Pick<ChangeStream, 'position'>;
}

type Holdings = RequestContext['holdings'];

/** Answers about the network, worked out beside other requests. */
export class Analyst {
  readonly #totals = new AccessTotals();
  readonly #past = new WeakMap<Holdings, Map<string, Promise<PastModel>>>();

  constructor(private readonly parts: Parts) {}

  /** The network as it is now, until the request is over. */
  model({ holdings }: Pick<RequestContext, 'holdings'>): PresentModel {
    const present = this.present();
    holdings.add(() => {
      present.release();
    });
    return present;
  }

  /** The same, until it is released. */
  present(): PresentModel {
    const { index, stream } = this.parts;
    return new PresentModel(index, stream.position);
  }

  /**
   * The network as it is now, or as it was at a point, until the request is over.
   * @throws ApiError HISTORY_NOT_KEPT
   */
  modelAt(ctx: RequestContext, at: string | null | undefined): Promise<AccessModel> {
    if (at === null || at === undefined) return Promise.resolve(this.model(ctx));
    // Fields of many entities may ask for the same.
    const known = this.#past.get(ctx.holdings) ?? new Map<string, Promise<PastModel>>();
    this.#past.set(ctx.holdings, known);
    const model = known.get(at) ?? this.readPast(ctx, at);
    known.set(at, model);
    return model;
  }

  /** The network as it was at a place, as long as the present is held. */
  past(present: PresentModel, place: Cursor): Promise<PastModel> {
    return pastModel(this.parts.store, present, place, (work) => this.run(work));
  }

  /** What differs between two points of the past, or between one and now. */
  async diff(
    ctx: RequestContext,
    from: string,
    to: string | null | undefined,
  ): Promise<Simulation> {
    const places = {
      from: await placeOf(ctx, 'from', from),
      to: to === null || to === undefined ? undefined : await placeOf(ctx, 'to', to),
    };
    const present = this.model(ctx);
    const before = await this.past(present, places.from);
    const after = places.to === undefined ? present : await this.past(present, places.to);
    const diff = await this.run(
      accessDiff(before, after, function* (kind) {
        yield* before.replaced(kind);
        if (after !== present) yield* after.replaced(kind);
      }),
    );
    return { ...diff, before, after };
  }

  /** A few milliseconds at a time. */
  run<T>(work: Sliced<T>): Promise<T> {
    return inSlices(work, { yieldNow: immediately, now: () => performance.now() });
  }

  /** That of all pairs is remembered until the network changes. */
  total(model: AccessModel, query: AccessQuery): Promise<number> {
    return this.run(
      model instanceof ModelSnapshot ? this.#totals.total(model, query) : accessTotal(model, query),
    );
  }

  private async readPast(ctx: RequestContext, at: string): Promise<PastModel> {
    const place = await placeOf(ctx, 'at', at);
    return this.past(this.model(ctx), place);
  }
}
