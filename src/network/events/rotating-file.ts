import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { FileTarget, type LineTarget } from '../../data/changes/index.js';
import type { EventFileSettings } from './event-settings.js';

/** The owner writes and its group reads, so that shippers of logs need no rights of the controller. */
const MODE = 0o640;

/**
 * A file of lines. Before it grows beyond its size, it is renamed and a new one begins:
 * `events.json` becomes `events-2026-01-02T03-04-05.678.json`, as in the field.
 */
export class RotatingFile implements LineTarget {
  readonly #file: FileTarget;

  constructor(
    private readonly settings: EventFileSettings,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.#file = new FileTarget(settings.path, { mode: MODE, isDurable: false });
  }

  async write(lines: string): Promise<void> {
    const { path, maxBytes } = this.settings;
    const size = await stat(path).then(
      (stats) => stats.size,
      () => 0,
    );
    if (size > 0 && size + Buffer.byteLength(lines) > maxBytes) await this.rotate();
    await this.#file.write(lines);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  private async rotate(): Promise<void> {
    const { path, maxBackups } = this.settings;
    const { stem, extension } = partsOf(path);
    const time = this.now().toISOString().replace('Z', '').replaceAll(':', '-');
    await rename(path, join(dirname(path), `${stem}-${time}${extension}`));
    if (maxBackups > 0) await this.deleteOldest(maxBackups);
  }

  private async deleteOldest(maxBackups: number): Promise<void> {
    const { path } = this.settings;
    const { stem, extension } = partsOf(path);
    const backups = (await readdir(dirname(path))).filter(
      (name) =>
        name.startsWith(`${stem}-`) &&
        name.endsWith(extension) &&
        BACKUP_TIME.test(name.slice(stem.length + 1, name.length - extension.length)),
    );
    // Names have the order of their times.
    for (const name of backups.sort().slice(0, -maxBackups)) {
      await rm(join(dirname(path), name), { force: true });
    }
  }
}

const BACKUP_TIME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}$/;

function partsOf(path: string): { readonly stem: string; readonly extension: string } {
  const extension = extname(path);
  return { stem: basename(path, extension), extension };
}
