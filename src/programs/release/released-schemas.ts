import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema, findBreakingChanges } from 'graphql';
import { openApiChanges, type OpenApi } from './openapi-changes.js';

/** File name -> text. */
export type Schemas = ReadonlyMap<string, string>;

/** A breaking change that is allowed on purpose. */
interface AllowedBreak {
  /** Name of the schema file. */
  readonly in: string;
  /** In the words of the comparison; `*` matches any one word or part of it. */
  readonly change: string;
  readonly reason: string;
}

const ALLOWED = 'allowed-breaks.json';

/** Gives the changes since the last release that may break clients, by the schema file. */
export function breakingChanges(name: string, released: string, current: string): string[] {
  if (name.endsWith('.graphql')) {
    return findBreakingChanges(buildSchema(released), buildSchema(current)).map(
      ({ description }) => description,
    );
  }
  return openApiChanges(JSON.parse(released) as OpenApi, JSON.parse(current) as OpenApi);
}

/** Gives the reasons, one line each, why a release now would break clients. */
export async function faultsAgainstRelease(folder: string, current: Schemas): Promise<string[]> {
  const allowed = await readAllowed(folder);
  const faults: string[] = [];
  const releasedNames = await readdir(folder);
  for (const [name, text] of current) {
    // A document that is newer than the release has no clients yet.
    if (!releasedNames.includes(name)) continue;
    const released = await readFile(join(folder, name), 'utf8');
    const changes = breakingChanges(name, released, text);
    const permitted = allowed.filter((a) => a.in === name).map(({ change }) => change);
    const isOf = (change: string) => (wording: string) => patternOf(wording).test(change);
    for (const change of changes) {
      if (!permitted.some(isOf(change))) faults.push(`${name}: ${change}`);
    }
    for (const wording of permitted) {
      if (changes.some((change) => isOf(change)(wording))) continue;
      faults.push(`${ALLOWED}: ${name} does not have "${wording}"`);
    }
  }
  for (const { in: name, change, reason } of allowed) {
    if (!current.has(name)) faults.push(`${ALLOWED}: there is no ${name}`);
    if (reason.trim() === '') faults.push(`${ALLOWED}: no reason for "${change}"`);
  }
  return faults;
}

const SPECIAL = /[\\^$.+?()[\]{}|]/g;

const patternOf = (wording: string): RegExp =>
  new RegExp(`^${wording.replaceAll(SPECIAL, '\\$&').replaceAll('*', '[^ ]*')}$`);

async function readAllowed(folder: string): Promise<AllowedBreak[]> {
  const text = await readFile(join(folder, ALLOWED), 'utf8');
  return JSON.parse(text) as AllowedBreak[];
}

/** Makes the current schemas the released ones; later changes are compared with them. */
export async function release(folder: string, current: Schemas): Promise<void> {
  for (const [name, text] of current) {
    const compact = name.endsWith('.json') ? JSON.stringify(JSON.parse(text)) : text.trimEnd();
    await writeFile(join(folder, name), `${compact}\n`);
  }
  await writeFile(join(folder, ALLOWED), '[]\n');
}
