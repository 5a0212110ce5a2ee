import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { isObject } from '../../../base/row.js';
import {
  FORMAT,
  isEnd,
  isFiles,
  isHeader,
  isTable,
  VERSION,
  type SnapshotHeader,
  type SnapshotTable,
} from './format.js';
import { SnapshotFault } from './snapshot-fault.js';

/** The parts of a snapshot file, in this order. */
export type SnapshotPart =
  | { readonly kind: 'header'; readonly header: SnapshotHeader }
  | { readonly kind: 'table'; readonly table: SnapshotTable }
  /** Some unparsed lines of one table. */
  | { readonly kind: 'rows'; readonly lines: readonly string[] }
  | { readonly kind: 'files'; readonly files: Readonly<Record<string, string>> };

export interface VerifiedSnapshot {
  readonly header: SnapshotHeader;
  readonly rows: number;
  readonly checksum: string;
  /** Key material, by file name, in base64. */
  readonly files: Readonly<Record<string, string>> | undefined;
}

/** Reads all of a file and checks everything that can be checked without a database. */
export async function verifySnapshot(path: string): Promise<VerifiedSnapshot> {
  const reading = new SnapshotReading(path);
  let files: Readonly<Record<string, string>> | undefined;
  for await (const part of reading.parts()) if (part.kind === 'files') ({ files } = part);
  return { ...reading.whole(), files };
}

/** The longest accepted line, as a limit of memory. */
const MAX_LINE_LENGTH = 256 * 1024 * 1024;

/** One pass over a snapshot file. Its parts are verified only at the end of the pass. */
export class SnapshotReading {
  readonly #sum = createHash('sha256');
  #header: SnapshotHeader | undefined;
  #table: SnapshotTable | undefined;
  #rows = 0;
  #rowsOfTable = 0;
  #lines = 0;
  #checksum: string | undefined;
  #hasFiles = false;
  readonly #readTables = new Set<string>();

  constructor(private readonly path: string) {}

  /** @throws SnapshotFault at the first fault, with its position */
  async *parts(): AsyncGenerator<SnapshotPart> {
    for await (const lines of this.lines()) {
      let rows: string[] = [];
      for (const line of lines) {
        this.#lines += 1;
        if (this.isRow(line)) {
          rows.push(line);
          continue;
        }
        if (rows.length > 0) yield { kind: 'rows', lines: rows };
        rows = [];
        const part = this.readPart(line);
        if (part) yield part;
      }
      if (rows.length > 0) yield { kind: 'rows', lines: rows };
    }
    if (this.#checksum === undefined) throw this.fault('it breaks off');
  }

  whole(): Omit<VerifiedSnapshot, 'files'> {
    if (!this.#header || this.#checksum === undefined) throw this.fault('it breaks off');
    return { header: this.#header, rows: this.#rows, checksum: this.#checksum };
  }

  /**
   * Whether a line is a row. Checks its number of values and their types alone, since there are
   * many rows.
   */
  private isRow(line: string): boolean {
    if (!line.startsWith('[')) return false;
    if (!this.#table || this.#checksum !== undefined) throw this.fault('no row can stand here');
    const values = this.parse(line);
    const isSound =
      Array.isArray(values) &&
      values.length === this.#table.columns.length &&
      values.every((value) => value === null || typeof value === 'string');
    if (!isSound) throw this.fault('it is no row of this table');
    this.#sum.update(line).update('\n');
    this.#rows += 1;
    this.#rowsOfTable += 1;
    return true;
  }

  private readPart(line: string): SnapshotPart | undefined {
    if (this.#checksum !== undefined) throw this.fault('nothing may follow the last line');
    const value = this.parse(line);
    if (!this.#header) return this.readHeader(value, line);
    if (isEnd(value)) {
      this.finish(value);
      return undefined;
    }
    this.#sum.update(line).update('\n');
    if (isFiles(value) && !this.#hasFiles) {
      this.#hasFiles = true;
      this.endTable();
      return { kind: 'files', files: value.files };
    }
    if (!isTable(value) || this.#hasFiles) throw this.fault('this is not what can stand here');
    this.endTable();
    this.beginTable(value);
    return { kind: 'table', table: value };
  }

  private readHeader(value: unknown, line: string): SnapshotPart {
    if (!isObject(value) || value.format !== FORMAT) throw this.fault('it is no snapshot');
    if (value.version !== VERSION) {
      throw this.fault(
        `it is of version ${String(value.version)}, and only ${String(VERSION)} is known here`,
      );
    }
    if (!isHeader(value)) throw this.fault('the header is incomplete');
    this.#header = value;
    this.#sum.update(line).update('\n');
    return { kind: 'header', header: value };
  }

  private beginTable(table: SnapshotTable): void {
    if (this.#readTables.has(table.table)) throw this.fault(`table ${table.table} comes twice`);
    if (this.#header?.counts[table.table] === undefined) {
      throw this.fault(`the header does not know table ${table.table}`);
    }
    this.#readTables.add(table.table);
    this.#table = table;
    this.#rowsOfTable = 0;
  }

  private endTable(): void {
    const name = this.#table?.table;
    if (name === undefined) return;
    const expected = this.#header?.counts[name];
    if (this.#rowsOfTable !== expected) {
      throw this.fault(
        `table ${name} has ${String(this.#rowsOfTable)} rows, and the header says ${String(expected)}`,
      );
    }
    this.#table = undefined;
  }

  private finish({ rows, sha256 }: { rows: number; sha256: string }): void {
    this.endTable();
    const missing = Object.keys(this.#header?.counts ?? {}).find(
      (name) => !this.#readTables.has(name),
    );
    if (missing !== undefined) throw this.fault(`table ${missing} is missing`);
    if (this.#header?.includesPki !== this.#hasFiles) throw this.fault('key material is missing');
    const actual = this.#sum.digest('hex');
    if (rows !== this.#rows || sha256 !== actual) {
      throw this.fault(`the checksum is ${actual}, and the last line says ${sha256}`);
    }
    this.#checksum = actual;
  }

  private parse(line: string): unknown {
    try {
      return JSON.parse(line);
    } catch (cause) {
      throw this.fault('it is no JSON', cause);
    }
  }

  /** Gives complete lines in batches; no byte may follow the end of the gzip stream. */
  private async *lines(): AsyncGenerator<string[]> {
    const source = createReadStream(this.path, { highWaterMark: 256 * 1024 });
    const gunzip = createGunzip({ chunkSize: 256 * 1024 });
    source.on('error', (error) => gunzip.destroy(error));
    source.pipe(gunzip);
    let incomplete: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of gunzip as AsyncIterable<Buffer>) {
        const end = chunk.lastIndexOf(10);
        if (end >= 0) {
          const text = Buffer.concat([...incomplete, chunk.subarray(0, end)]).toString('utf8');
          incomplete = [];
          length = 0;
          yield text.split('\n');
        }
        const rest = chunk.subarray(end + 1);
        length += rest.length;
        if (length > MAX_LINE_LENGTH) throw this.fault('a line is too long');
        if (rest.length > 0) incomplete.push(rest);
      }
    } catch (error) {
      throw this.explained(error, gunzip.bytesWritten);
    } finally {
      source.destroy();
      gunzip.destroy();
    }
    if (length > 0) throw this.fault('it breaks off within a line');
    const { size } = await stat(this.path);
    if (gunzip.bytesWritten !== size) {
      throw this.fault(`${String(size - gunzip.bytesWritten)} bytes follow its end`);
    }
  }

  private explained(error: unknown, bytes: number): unknown {
    if (error instanceof SnapshotFault) return error;
    const { code } = error as { code?: unknown };
    if (typeof code !== 'string') return error;
    if (code === 'Z_BUF_ERROR') return this.fault('it breaks off', error);
    if (code.startsWith('Z_')) {
      return this.fault(`it is damaged, or no snapshot, near byte ${String(bytes)}`, error);
    }
    return new SnapshotFault(`${this.path} can not be read: ${code}`, { cause: error });
  }

  private fault(reason: string, cause?: unknown): SnapshotFault {
    const table = this.#table
      ? `, row ${String(this.#rowsOfTable + 1)} of table ${this.#table.table}`
      : '';
    const place = this.#lines === 0 ? 'at its beginning' : `at line ${String(this.#lines)}${table}`;
    return new SnapshotFault(`${this.path}: ${reason} (${place})`, { cause });
  }
}
