import { isObject } from '../../../base/row.js';

/*
 * A snapshot file is gzip of lines of JSON: the header per table {"table", "columns"}, then one
 * array per row with the text of every value, or null {"files": {name: base64}}, if it includes key
 * material {"rows", "sha256"}: the number of rows, and the checksum of all lines before this one
 * Values have PostgreSQL's text form, so that any version of it reads them.
 */

export const FORMAT = 'overgraph-snapshot';
export const VERSION = 1;

export interface SnapshotHeader {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  readonly createdAt: string;
  /** Migrations that made the tables, in order. */
  readonly migrations: readonly string[];
  /** The network record. */
  readonly network: {
    readonly id: string;
    readonly epoch: number;
    readonly rootFingerprint: string;
    readonly keyCheck: string;
  };
  readonly includesPki: boolean;
  /** Table -> rows. */
  readonly counts: Readonly<Record<string, number>>;
}

export interface SnapshotTable {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Valid names of tables and columns, which become part of statements. */
const NAME = /^[a-z_][a-z0-9_]{0,62}$/;
const MIGRATION = /^\d{14}_\w+$/;
const KEY_FILE = /^[a-z0-9][a-z0-9-]*(\.key|\.pem|\.cross\.pem|\.json)$/;

const isTexts = (value: unknown, pattern: RegExp): value is string[] =>
  Array.isArray(value) && value.every((v) => typeof v === 'string' && pattern.test(v));

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

const isNetwork = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value.epoch) &&
  ['id', 'rootFingerprint', 'keyCheck'].every((name) => typeof value[name] === 'string');

export const isHeader = (value: unknown): value is SnapshotHeader =>
  isObject(value) &&
  typeof value.createdAt === 'string' &&
  typeof value.includesPki === 'boolean' &&
  isTexts(value.migrations, MIGRATION) &&
  isNetwork(value.network) &&
  isObject(value.counts) &&
  Object.entries(value.counts).every(([name, count]) => NAME.test(name) && isCount(count));

export const isTable = (value: unknown): value is SnapshotTable =>
  isObject(value) &&
  typeof value.table === 'string' &&
  NAME.test(value.table) &&
  isTexts(value.columns, NAME);

export const isFiles = (value: unknown): value is { files: Record<string, string> } =>
  isObject(value) &&
  isObject(value.files) &&
  Object.entries(value.files).every(
    ([name, content]) => KEY_FILE.test(name) && typeof content === 'string',
  );

export const isEnd = (value: unknown): value is { rows: number; sha256: string } =>
  isObject(value) && isCount(value.rows) && typeof value.sha256 === 'string';
