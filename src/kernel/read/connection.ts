import { invalidField } from '../../base/errors.js';
import { parseJson } from '../../base/json-text.js';

/** Encodes the sort values of a row as JSON in base64url, opaque to clients. */
const encodeCursor = (values: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(values)).toString('base64url');

export function decodeCursor(argument: string, cursor: string, keyLength: number): unknown[] {
  try {
    const values = parseJson(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(values) && values.length === keyLength) return values;
  } catch {
    // falls through to the refusal
  }
  throw invalidField(argument, 'not a cursor of a list with this order', cursor);
}

/** The part of a list that a page shows. */
export interface Window {
  readonly limit: number | 'none';
  readonly offset: number;
  readonly backwards: boolean;
  /** A slice of a list without limit. */
  readonly isSlice?: boolean;
}

/** A node of a list, with the sort values of its cursor under `#s0`, `#s1`, … */
export interface PageNode {
  readonly [sortValue: `#s${number}`]: unknown;
}

/** A connection. Edges and cursors are computed only when they are selected. */
export class Page {
  readonly nodes: readonly PageNode[];
  readonly #hasMore: boolean;

  constructor(
    rows: readonly PageNode[],
    readonly totalCount: number,
    private readonly window: Window,
    private readonly keyLength: number,
    private readonly cursors: { after?: unknown; before?: unknown },
  ) {
    const { limit, backwards } = window;
    this.#hasMore = limit !== 'none' && rows.length > limit;
    const pageRows = this.#hasMore ? rows.slice(0, Number(limit)) : rows;
    this.nodes = backwards ? [...pageRows].reverse() : pageRows;
  }

  get edges(): { node: PageNode; cursor: string }[] {
    return this.nodes.map((node) => ({ node, cursor: this.cursorOf(node) }));
  }

  get pageInfo(): object {
    const { backwards } = this.window;
    const start = this.nodes[0];
    const end = this.nodes.at(-1);
    return {
      hasNextPage: backwards ? Boolean(this.cursors.before) : this.#hasMore,
      hasPreviousPage: backwards
        ? this.#hasMore
        : Boolean(this.cursors.after) || this.window.offset > 0,
      startCursor: start ? this.cursorOf(start) : null,
      endCursor: end ? this.cursorOf(end) : null,
    };
  }

  get pagination(): { limit: number | null; offset: number; totalCount: number } {
    const { limit, offset, isSlice = false } = this.window;
    const shown = limit === 'none' || isSlice ? null : limit;
    return { limit: shown, offset, totalCount: this.totalCount };
  }

  /** The cursor of the last node if more nodes follow. */
  get next(): string | undefined {
    const end = this.nodes.at(-1);
    return this.#hasMore && end ? this.cursorOf(end) : undefined;
  }

  private cursorOf(node: PageNode): string {
    return encodeCursor(Array.from({ length: this.keyLength }, (_, i) => node[`#s${i}`] ?? null));
  }
}
