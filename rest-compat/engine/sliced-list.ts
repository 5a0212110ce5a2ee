import { effectivePage, parseQuery } from '../../src/kernel/filter/index.js';
import type { JsonObject } from '../../src/base/row.js';
import type { RequestContext, Slices } from '../../src/kernel/request/context.js';
import { contextWith } from '../../src/kernel/read/reader.js';
import type { Snapshot } from '../../src/kernel/request/store-port.js';

type Read = (ctx: RequestContext) => Promise<unknown>;

/**
 * An unlimited list, read in slices of one state of the database: each slice is a run of the row's
 * document, so that memory contains one slice, even of a long list. Always call `end`.
 */
export class SlicedList {
  private constructor(
    /** The result of the document for the first slice; it alone has the total. */
    readonly first: unknown,
    private readonly slices: Slices,
    private readonly resources: HeldResources,
    private readonly read: () => Promise<unknown>,
  ) {}

  static async open(ctx: RequestContext, read: Read): Promise<SlicedList> {
    const snapshot = await ctx.store.snapshot();
    const slices: Slices = { after: undefined };
    const inSnapshot = contextWith(ctx, { store: snapshot.store, slices });
    const next = (): Promise<unknown> => read(inSnapshot);
    const resources = { snapshot, holdings: ctx.holdings };
    try {
      return new SlicedList(await next(), slices, resources, next);
    } catch (error) {
      await releaseAll(resources);
      throw error;
    }
  }

  /** Whether no further slice follows. */
  get isWhole(): boolean {
    return this.slices.after === undefined;
  }

  /** All results, beginning with the first. */
  async *results(): AsyncGenerator {
    yield this.first;
    while (!this.isWhole) yield await this.read();
  }

  end(): Promise<void> {
    return releaseAll(this.resources);
  }
}

interface HeldResources extends Pick<RequestContext, 'holdings'> {
  readonly snapshot: Snapshot;
}

function releaseAll({ snapshot, holdings }: HeldResources): Promise<void> {
  holdings.release();
  return snapshot.end();
}

/** Whether a list is unlimited, by `limit` or by a clause of the filter. */
export function isUnlimited({ limit, filter }: Readonly<JsonObject>): boolean {
  const text = typeof filter === 'string' && /limit/i.test(filter) ? filter : '';
  try {
    const parameters = { limit: typeof limit === 'number' ? limit : undefined };
    return effectivePage(parameters, text === '' ? {} : parseQuery(text)).limit === 'none';
  } catch {
    // The graph refuses the filter with a reason.
    return false;
  }
}
