import { createPrivateKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../base/start-error.js';
import { readSecretFile, type SecretFileRule } from './secret-file.js';

/** The controller's folder of key files: the folder 0700, every file 0600 and complete at any moment. */
export interface KeyDirectory {
  /** Gives the bytes of a file, undefined for a missing one; refuses a `.key` open to others. */
  read(name: string): Promise<Buffer | undefined>;
  /** Replaces a file: readers see the old or the new content, even after a power loss. */
  write(name: string, content: string | Buffer): Promise<void>;
  /** Deletes a file if it exists. */
  remove(name: string): Promise<void>;
  /** Gives the names of all files. */
  list(): Promise<readonly string[]>;
  pathOf(name: string): string;
}

/**
 * Creates the folder if it is missing. The folder is our own, so it is closed to others; a key file
 * that others may read is refused instead, because they may have read it.
 */
export async function openKeyDirectory(
  directory: string,
  rule: SecretFileRule = { allowOpen: false },
): Promise<KeyDirectory> {
  await attempt(`cannot use the key directory ${directory}`, async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if (!rule.allowOpen) await chmod(directory, 0o700);
  });
  return keyDirectoryAt(directory, rule);
}

/** Opens the folder for reading only; a missing folder is empty. */
export function keyDirectoryAt(
  directory: string,
  rule: SecretFileRule = { allowOpen: false },
): KeyDirectory {
  const pathOf = (name: string): string => join(directory, name);
  return {
    pathOf,
    read: (name) => attempt(`cannot read ${pathOf(name)}`, () => readIfThere(pathOf(name), rule)),
    write: (name, content) =>
      attempt(`cannot write ${pathOf(name)}`, () => replaceFile(directory, name, content)),
    remove: (name) =>
      attempt(`cannot remove ${pathOf(name)}`, async () => {
        await rm(pathOf(name), { force: true });
        await syncDirectory(directory);
      }),
    list: () => attempt(`cannot list ${directory}`, () => listIfThere(directory)),
  };
}

/** Gives the private key in `name`; the first use creates it (EC P-256). */
export async function loadOrMakeKey(directory: KeyDirectory, name: string): Promise<KeyObject> {
  const stored = await directory.read(name);
  if (stored) return decodePrivateKey(stored, directory.pathOf(name), 'restore it from a backup');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await directory.write(name, privateKeyPem(privateKey));
  return privateKey;
}

/** Reads a private key from PEM; errors contain none of the content. */
export function decodePrivateKey(pem: Buffer, path: string, cure: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new StartError(`${path} holds no unencrypted private key in PEM form`, cure);
  }
}

export const privateKeyPem = (key: KeyObject): string =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A secret key that will replace another one ends with `.key.next`. */
const SECRET = /\.key(\.next)?$/;

async function readIfThere(path: string, rule: SecretFileRule): Promise<Buffer | undefined> {
  try {
    return await (SECRET.test(path) ? readSecretFile(path, rule) : readFile(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function listIfThere(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function replaceFile(
  directory: string,
  name: string,
  content: string | Buffer,
): Promise<void> {
  const temporary = join(directory, `.${name}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(directory, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(directory);
}

/** Makes the rename durable. Windows can not open directories, and does not need it. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function attempt<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `${what} (${errorCode(error)})`,
      'give the user of the controller access to OVERGRAPH_DATA_DIR, or choose another directory',
    );
  }
}

/** Gives the system's name of an error (`ENOENT`), by shape: the class differs between realms. */
export const errorCode = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'unknown error';
