import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a file atomically, even if power is lost: mode 0600, its folder 0700. After a failure,
 * such as a full disk or an abort, no part of it stays. Gives the number of bytes.
 */
export async function writeWholeFile(
  path: string,
  source: AsyncIterable<Buffer>,
  ...through: NodeJS.ReadWriteStream[]
): Promise<number> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    let size = 0;
    const sink = new Writable({
      write(chunk: Buffer, _, done) {
        file.appendFile(chunk).then(() => {
          size += chunk.length;
          done();
        }, done);
      },
    });
    try {
      await pipeline([Readable.from(source, { objectMode: false }), ...through, sink]);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(folder);
    return size;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes the rename durable. Windows can not open directories and does not need this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
