import { readFile, rename, writeFile } from 'node:fs/promises';
import { ApiError } from '../base/errors.js';
import type { ChangeLog, Cursor, LoggedChange } from '../kernel/request/store-port.js';
import { changedFields } from './changed-fields.js';

/** Where lines go: they are there for good when the promise is kept. */
export interface LineTarget {
  write(lines: string): Promise<void>;
  close(): Promise<void>;
}

interface Parts {
  readonly log: ChangeLog;
  readonly target: LineTarget;
  /** The file that keeps how far it has come. */
  readonly cursorFile: string;
  /** Changes were pruned that it had not written. */
  readonly onLost: (after: Cursor) => void;
}

const SLICE = 500;

/**
 * Writes each change as a line of JSON, in the order of the log, at least once: it goes on from where
 * it was when it last ended, and begins with the oldest change that is kept.
 */
export class ChangeSink {
  #cursor: Cursor | undefined;

  constructor(private readonly parts: Parts) {}

  /** Writes what there is to write. */
  async drain(): Promise<void> {
    this.#cursor ??= await this.saved();
    for (let count = SLICE; count === SLICE;) {
      const changes = await this.following(this.#cursor);
      count = changes.length;
      const last = changes.at(-1);
      if (!last) return;
      await this.parts.target.write(changes.map(lineOf).join(''));
      await this.save(last.cursor);
    }
  }

  private async following(cursor: Cursor): Promise<readonly LoggedChange[]> {
    try {
      return await this.parts.log.following(cursor, SLICE);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'HISTORY_NOT_KEPT') throw error;
      this.parts.onLost(cursor);
      // Readers of the lines shall know as well.
      await this.parts.target.write(`${JSON.stringify({ lost: { after: cursor } })}\n`);
      await this.save('');
      return this.parts.log.following('', SLICE);
    }
  }

  private async saved(): Promise<Cursor> {
    const text = await readFile(this.parts.cursorFile, 'utf8').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    });
    return text.trim();
  }

  private async save(cursor: Cursor): Promise<void> {
    const { cursorFile } = this.parts;
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
