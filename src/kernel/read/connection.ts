import { invalidField } from '../../base/errors.js';
import { parseJson } from '../../base/json-text.js';

/** Opaque to clients: the sort values of a row, as JSON in base64url. */
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

/** Which part of a list a page is. */
export interface Window {
  readonly limit: number | 'none';
  readonly offset: number;
  readonly backwards: boolean;
  /** A slice of a list without limit. */
  readonly isSlice?: boolean;
}

/** A node of a list, with the values that its cursor is made of under `#s0`, `#s1`, … */
export interface PageNode {
  readonly [sortValue: `#s${number}`]: unknown;
}

/** A connection. Edges and cursors are made only when they are asked for. */
export class Page {
  readonly nodes: readonly PageNode[];
  readonly #more: boolean;

  constructor(
    rows: readonly PageNode[],
    readonly totalCount: number,
    private readonly window: Window,
    private readonly keyLength: number,
    private readonly asked: { after?: unknown; before?: unknown },
  ) {
    const { limit, backwards } = window;
    this.#more = limit !== 'none' && rows.length > limit;
    const kept = this.#more ? rows.slice(0, Number(limit)) : rows;
    this.nodes = backwards ? [...kept].reverse() : kept;
  }

  get edges(): { node: PageNode; cursor: string }[] {
    return this.nodes.map((node) => ({ node, cursor: this.cursorOf(node) }));
  }

  get pageInfo(): object {
    const { backwards } = this.window;
    const start = this.nodes[0];
    const end = this.nodes.at(-1);
    return {
      hasNextPage: backwards ? Boolean(this.asked.before) : this.#more,
      hasPreviousPage: backwards ? this.#more : Boolean(this.asked.after) || this.window.offset > 0,
      startCursor: start ? this.cursorOf(start) : null,
      endCursor: end ? this.cursorOf(end) : null,
    };
  }

  get pagination(): { limit: number | null; offset: number; totalCount: number } {
    const { limit, offset, isSlice = false } = this.window;
    const shown = limit === 'none' || isSlice ? null : limit;
    return { limit: shown, offset, totalCount: this.totalCount };
  }

  /** Cursor of the last node when more follows it. */
  get next(): string | undefined {
    const end = this.nodes.at(-1);
    return this.#more && end ? this.cursorOf(end) : undefined;
  }

  private cursorOf(node: PageNode): string {
    return encodeCursor(Array.from({ length: this.keyLength }, (_, i) => node[`#s${i}`] ?? null));
  }
}
