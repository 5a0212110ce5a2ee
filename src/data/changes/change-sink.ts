import { readFile, rename, writeFile } from 'node:fs/promises';
import { ApiError } from '../../base/errors.js';
import type { ChangeLog, Cursor, LoggedChange } from '../../kernel/request/store-port.js';
import { changedFields } from './changed-fields.js';

/** A destination of lines: a resolved promise means that they are durable. */
export interface LineTarget {
  write(lines: string): Promise<void>;
  close(): Promise<void>;
}

interface ChangeSinkOptions {
  readonly log: ChangeLog;
  readonly target: LineTarget;
  /** The file that stores the place of the last written change. */
  readonly cursorFile: string;
  /** Called when changes were pruned before they were written. */
  readonly onLost: (after: Cursor) => void;
}

const SLICE = 500;

/**
 * Writes each change as a line of JSON, in the order of the log, at least once. It resumes at the
 * place of its last end; the first time it starts with the oldest change in the log.
 */
export class ChangeSink {
  #cursor: Cursor | undefined;

  constructor(private readonly options: ChangeSinkOptions) {}

  /** Writes all changes up to the end of the log. */
  async drain(): Promise<void> {
    this.#cursor ??= await this.savedCursor();
    for (let count = SLICE; count === SLICE;) {
      const changes = await this.following(this.#cursor);
      count = changes.length;
      const last = changes.at(-1);
      if (!last) return;
      await this.options.target.write(changes.map(lineOf).join(''));
      await this.save(last.cursor);
    }
  }

  private async following(cursor: Cursor): Promise<readonly LoggedChange[]> {
    try {
      return await this.options.log.following(cursor, SLICE);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'HISTORY_NOT_KEPT') throw error;
      this.options.onLost(cursor);
      // Readers of the lines must learn of the gap, too.
      await this.options.target.write(`${JSON.stringify({ lost: { after: cursor } })}\n`);
      await this.save('');
      return this.options.log.following('', SLICE);
    }
  }

  private async savedCursor(): Promise<Cursor> {
    const text = await readFile(this.options.cursorFile, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    });
    return text.trim();
  }

  private async save(cursor: Cursor): Promise<void> {
    const { cursorFile } = this.options;
    await writeFile(`${cursorFile}.new`, `${cursor}\n`, { mode: 0o600 });
    await rename(`${cursorFile}.new`, cursorFile);
    this.#cursor = cursor;
  }
}

function lineOf(change: LoggedChange): string {
  const { cursor, at, resource, id, operation, revision, actorId, apiSessionId } = change;
  const { address, requestId, importId, reason, before, after } = change;
  return `${JSON.stringify({
    id: cursor,
    at,
    type: resource,
    entityId: id,
    operation,
    revision,
    actorId,
    apiSessionId,
    address,
    requestId,
    importId,
    reason,
    fields: changedFields(before, after),
    before,
    after,
  })}\n`;
}
