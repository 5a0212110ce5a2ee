import { expect } from '@jest/globals';
import pg from 'pg';
import { ChangeFeed } from '../../../src/data/store/change-feed.js';
import { StoredChangeLog } from '../../../src/data/store/change-log.js';
import { encodedChangeSet } from '../../../src/network/data-model/change-sets.js';
import { PublishedModel } from '../../../src/network/data-model/published-model.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';
import { settledChange } from '../../support/settled-change.js';
import { StrictRouter } from './strict-router.js';

/** A database with models that follow its log, and routers that are served from them. */
export class ModelStage {
  readonly #ends: (() => Promise<void>)[] = [];

  private constructor(readonly controller: InProcess) {}

  static async start(now?: () => Date): Promise<ModelStage> {
    return new ModelStage(await InProcess.start(undefined, now ? { now } : {}));
  }

  /** Ends the models, so that no feed waits for changes of the past. */
  async endModels(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }

  async stop(): Promise<void> {
    await this.endModels();
    await this.controller.stop();
  }

  /** A connection of its own, which ends with the models. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.controller.url });
    await client.connect();
    this.#ends.push(() => client.end());
    return client;
  }

  /** A model that follows the log, as each controller has one. */
  async publisher(): Promise<PublishedModel> {
    const { database, store } = this.controller.parts;
    const log = new StoredChangeLog(database);
    const begin = await log.horizon();
    const model = await PublishedModel.load({
      store,
      catalog: this.controller.catalog,
      timelineId: 'timeline',
      onSets: () => undefined,
      onFault: (_, error) => {
        throw error;
      },
    });
    const feed = new ChangeFeed(
      database,
      log,
      begin,
      (changes, isEnd) => {
        model.apply({ changes, isEnd });
      },
      (error) => {
        throw error;
      },
    );
    await feed.start();
    this.#ends.push(() => feed.stop());
    return model;
  }

  /** The models have all that is committed. */
  async caughtUp(...models: readonly PublishedModel[]): Promise<void> {
    await this.controller.create('ConfigType', { name: `mark ${String(Math.random())}` });
    const last = await settledChange(this.controller);
    const transaction = Number.parseInt(last.slice(4, 20), 16);
    for (const model of models) {
      await eventually(() => {
        expect(model.newest).toBeGreaterThanOrEqual(transaction * 1_024);
      });
    }
  }
}

/** Sends a router the sets behind what it has, or the whole. */
export async function serve(
  router: StrictRouter,
  model: PublishedModel,
): Promise<'sets' | 'whole'> {
  const start = router.index > 0 ? await model.startAfter(router.index) : undefined;
  if (!start) {
    router.takeState((await model.fullState()).body);
    return 'whole';
  }
  let { index, previousIndex } = start;
  for (let set = model.after(index); set; set = model.after(index)) {
    router.takeSet(encodedChangeSet(set, previousIndex));
    ({ index } = set);
    previousIndex = index;
  }
  return 'sets';
}

/** A router that has all that a model has published. */
export async function whole(model: PublishedModel): Promise<StrictRouter> {
  const router = new StrictRouter();
  await serve(router, model);
  await serve(router, model);
  return router;
}
