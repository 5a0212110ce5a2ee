import { open, stat, type FileHandle } from 'node:fs/promises';
import type { LineTarget } from './change-sink.js';

/** Writes to standard output or another stream. */
export const streamTarget = (stream: NodeJS.WritableStream): LineTarget => ({
  write: (lines) =>
    new Promise((resolve, reject) => {
      stream.write(lines, (error) => {
        if (error) reject(error);
        else resolve();
      });
    }),
  close: () => Promise.resolve(),
});

interface FileTargetOptions {
  /** The mode of a file that it creates. */
  readonly mode: number;
  /** Whether written lines survive a crash of the machine. */
  readonly isDurable: boolean;
}

/** Appends to a file. When another program renames the file, it starts a new one. */
export class FileTarget implements LineTarget {
  #file: FileHandle | undefined;

  constructor(
    private readonly path: string,
    private readonly options: FileTargetOptions = { mode: 0o600, isDurable: true },
  ) {}

  async write(lines: string): Promise<void> {
    try {
      const file = await this.current();
      await file.appendFile(lines);
      if (this.options.isDurable) await file.datasync();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
  }

  private async current(): Promise<FileHandle> {
    if (this.#file && !(await this.isCurrent(this.#file))) await this.close();
    this.#file ??= await this.open();
    return this.#file;
  }

  private async isCurrent(file: FileHandle): Promise<boolean> {
    const [openFile, currentFile] = [
      await file.stat(),
      await stat(this.path).catch(() => undefined),
    ];
    return (
      currentFile !== undefined &&
      openFile.ino === currentFile.ino &&
      openFile.dev === currentFile.dev
    );
  }

  /** Opens the file and ends a line that a crash or a full disk left incomplete. */
  private async open(): Promise<FileHandle> {
    const file = await open(this.path, 'a+', this.options.mode);
    try {
      const { size } = await file.stat();
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
      if (size > 0 && buffer.toString() !== '\n') await file.appendFile('\n');
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}
