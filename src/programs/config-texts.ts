import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { loginOrigin } from '../edge/login-origins.js';
import { readSpaFolders, type SpaFolder } from '../edge/spa-folders.js';
import { namePattern } from '../trust/pki/index.js';
import { host } from './config-addresses.js';
import { Refusal, wholeNumber } from './config-numbers.js';

/* Readers of the texts of variables; each throws a `Refusal`. */

export interface SecretKey {
  readonly bytes: Buffer;
  /** The path that it was read from; undefined when the variable contains the key itself. */
  readonly file: string | undefined;
}

const listed = (text: string): string[] =>
  text === '' ? [] : text.split(',').map((entry) => entry.trim());

export const hosts = (text: string): string[] =>
  listed(text).map((entry) => host(entry).toLowerCase());

export function redirects(text: string): string[] {
  return listed(text).map((uri) => {
    if (!URL.canParse(uri) || uri.includes('#')) throw new Refusal(`"${uri}" is not an address`);
    return uri;
  });
}

export function origins(text: string): string[] {
  return text.split(',').map((entry) => {
    const origin = entry.trim();
    if (
      !/^https?:\/\//.test(origin) ||
      !URL.canParse(origin) ||
      new URL(origin).origin !== origin
    ) {
      throw new Refusal(`"${origin}" is not an origin`);
    }
    return origin;
  });
}

/** Their texts go into the content security policy of pages. */
export function assetOrigins(text: string): string[] {
  return listed(text).map((origin) => {
    if (loginOrigin(origin) !== origin) {
      throw new Refusal(`"${origin}" is not an origin over TLS`);
    }
    return origin;
  });
}

export function namePatterns(text: string): string[] {
  return text.split(',').map((entry) => {
    const pattern = namePattern(entry.trim());
    if (pattern === undefined) {
      throw new Refusal(`"${entry.trim()}" is not a DNS name, an address or a range of addresses`);
    }
    return pattern;
  });
}

export function spaFolders(text: string): readonly SpaFolder[] {
  const spas = readSpaFolders(text);
  if (typeof spas === 'string') throw new Refusal(spas);
  return spas;
}

/** Never repeats the value: it may contain a password. */
export function collector(text: string): string {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isHttp) throw new Refusal('is not an HTTP address');
  return text;
}

/** Never repeats the value: it may contain a password. */
export function databaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text)) throw new Refusal('is not a PostgreSQL URL');
  return text;
}

export function readableFile(text: string): string {
  const path = resolve(text);
  try {
    if (!statSync(path).isFile()) throw new Refusal(`"${text}" is not a file`);
    accessSync(path, constants.R_OK);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`"${text}" can not be read`);
  }
  return path;
}

const SECRET_KEY_BYTES = 32;

function fromBase64(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === SECRET_KEY_BYTES ? bytes : undefined;
}

/** Reads the key or a file with it, raw or base64; the value is never repeated. */
export function secretKey(text: string): SecretKey {
  const inline = fromBase64(text);
  if (inline) return { bytes: inline, file: undefined };
  let content: Buffer;
  try {
    content = readFileSync(text);
  } catch {
    throw new Refusal('is neither a readable file nor 32 bytes of base64');
  }
  const bytes =
    content.length === SECRET_KEY_BYTES ? content : fromBase64(content.toString('latin1').trim());
  if (!bytes) throw new Refusal('names a file that does not hold 32 bytes, raw or base64');
  return { bytes, file: resolve(text) };
}

export const sink = (text: string): 'stdout' | { file: string } =>
  text === 'stdout' ? text : { file: resolve(text) };
export const MAX_WORKERS = 32;

export function workers(text: string): number {
  const value = wholeNumber(text, MAX_WORKERS);
  if (value === 0) throw new Refusal('"0" is not a number of processes');
  return value;
}
