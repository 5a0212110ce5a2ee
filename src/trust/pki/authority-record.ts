import { StartError } from '../../base/start-error.js';
import type { KeyDirectory } from './key-directory.js';

/** The record of the authorities in force; without the file, those of the first start. */
export const RECORD_FILE = 'authorities.json';

/**
 * The generated authorities of a directory, by the names of their files (`<name>.key`, `<name>.pem`).
 * A rollover adds files under new names, and takes effect when this record is replaced: after any
 * interruption, either the old or the new authorities are in force, never a mixture.
 */
export interface AuthorityRecord {
  /** Every change raises it, so the higher of two records of one network is the later one. */
  readonly generation: number;
  /**
   * Oldest first, the last one in force. The certificates of the others are kept for good: each of
   * them signed the next (`<name>.cross.pem`), which proves that it is still the same network.
   */
  readonly roots: readonly [string, ...string[]];
  readonly signer: string;
  /**
   * Signers whose rollover is finished. Their roots may still be in force, so certificates of these
   * signers must be refused by name.
   */
  readonly ended: readonly string[];
  readonly overlap: Overlap | undefined;
}

/** The authorities that a rollover replaced, trusted until it is finished. */
export interface Overlap {
  readonly since: Date;
  readonly signer: string;
  /** Undefined when only the signer was replaced. */
  readonly root: string | undefined;
}

export const FIRST_RECORD: AuthorityRecord = {
  generation: 0,
  roots: ['root'],
  signer: 'signer',
  ended: [],
  overlap: undefined,
};

export const rootInForce = ({ roots }: AuthorityRecord): string => roots.at(-1) ?? roots[0];

export async function readAuthorityRecord(directory: KeyDirectory): Promise<AuthorityRecord> {
  const text = await directory.read(RECORD_FILE);
  if (!text) return FIRST_RECORD;
  const record = parseAuthorityRecord(text);
  if (record) return record;
  throw new StartError(
    `${directory.pathOf(RECORD_FILE)} is damaged`,
    'restore the directory from a backup',
  );
}

export const writeAuthorityRecord = (
  directory: KeyDirectory,
  { generation, roots, signer, ended, overlap }: AuthorityRecord,
): Promise<void> =>
  directory.write(
    RECORD_FILE,
    `${JSON.stringify({ version: 1, generation, roots, signer, ended, overlap }, null, 2)}\n`,
  );

/** Gives undefined for a text that is no record. */
export function parseAuthorityRecord(text: Buffer): AuthorityRecord | undefined {
  try {
    const parsed = JSON.parse(text.toString()) as Partial<Record<string, unknown>> | null;
    const { version, generation, roots, signer, ended, overlap } = parsed ?? {};
    if (version !== 1 || !Number.isSafeInteger(generation) || !Array.isArray(roots))
      return undefined;
    const [first, ...later] = roots.map((root) => nameOf(root, 'root'));
    if (first === undefined) return undefined;
    return {
      generation: Number(generation),
      roots: [first, ...later],
      signer: nameOf(signer, 'signer'),
      ended: (ended as unknown[]).map((name) => nameOf(name, 'signer')),
      overlap: overlap === undefined ? undefined : overlapOf(overlap),
    };
  } catch {
    return undefined;
  }
}

function overlapOf(value: unknown): Overlap {
  const { since, signer, root } = value as Partial<Record<string, unknown>>;
  const date = new Date(String(since));
  // Throws on an invalid date.
  date.toISOString();
  return {
    since: date,
    signer: nameOf(signer, 'signer'),
    root: root === undefined ? undefined : nameOf(root, 'root'),
  };
}

/** Accepts only valid names, because names become paths. */
function nameOf(value: unknown, kind: 'root' | 'signer'): string {
  if (typeof value === 'string' && new RegExp(`^${kind}(-[0-9a-f]{8})?$`).test(value)) return value;
  throw new Error('not a name of an authority');
}

const AUTHORITY_FILE = /^(root|signer)(-[0-9a-f]{8})?(\.key|\.pem|\.cross\.pem)$/;
export const isAuthorityFile = (name: string): boolean => AUTHORITY_FILE.test(name);

/** Gives the files that a record names. */
export function filesOf(record: AuthorityRecord): ReadonlySet<string> {
  const { roots, signer, ended, overlap } = record;
  const withKeys = [rootInForce(record), signer, overlap?.root, overlap?.signer].filter(
    (name) => name !== undefined,
  );
  return new Set([
    ...withKeys.flatMap((name) => [`${name}.key`, `${name}.pem`]),
    ...[...roots, ...ended].map((name) => `${name}.pem`),
    ...roots.slice(1).map((name) => `${name}.cross.pem`),
  ]);
}

/** Deletes authorities that the record does not name; gives the number of files. */
export async function removeUnnamed(
  directory: KeyDirectory,
  record: AuthorityRecord,
): Promise<number> {
  const named = filesOf(record);
  const surplus = (await directory.list()).filter(
    (name) => isAuthorityFile(name) && !named.has(name),
  );
  for (const name of surplus) await directory.remove(name);
  return surplus.length;
}
