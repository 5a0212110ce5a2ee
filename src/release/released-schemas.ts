import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema, findBreakingChanges } from 'graphql';
import { openApiChanges, type OpenApi } from './openapi-changes.js';

/** File name -> text. */
export type Schemas = ReadonlyMap<string, string>;

/** A breaking change that was decided on. */
interface AllowedBreak {
  /** Name of the schema file. */
  readonly in: string;
  /** As the comparison words it; `*` stands for any one word or part of it. */
  readonly change: string;
  readonly reason: string;
}

const ALLOWED = 'allowed-breaks.json';

/** What clients of the last release could stumble over, by the schema file. */
export function breakingChanges(name: string, released: string, current: string): string[] {
  if (name.endsWith('.graphql')) {
    return findBreakingChanges(buildSchema(released), buildSchema(current)).map(
      ({ description }) => description,
    );
  }
  return openApiChanges(JSON.parse(released) as OpenApi, JSON.parse(current) as OpenApi);
}

/** Everything that stands in the way of a release that breaks nobody, one line each. */
export async function faultsAgainstRelease(folder: string, current: Schemas): Promise<string[]> {
  const allowed = await readAllowed(folder);
  const faults: string[] = [];
  for (const [name, text] of current) {
    const released = await readFile(join(folder, name), 'utf8');
    const changes = breakingChanges(name, released, text);
    const permitted = allowed.filter((a) => a.in === name).map(({ change }) => change);
    const isOf = (change: string) => (wording: string) => wordedSo(wording).test(change);
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

const wordedSo = (wording: string): RegExp =>
  new RegExp(`^${wording.replaceAll(SPECIAL, '\\$&').replaceAll('*', '[^ ]*')}$`);

async function readAllowed(folder: string): Promise<AllowedBreak[]> {
  const text = await readFile(join(folder, ALLOWED), 'utf8');
  return JSON.parse(text) as AllowedBreak[];
}

/** Makes the current schemas the released ones; nothing is broken against them. */
export async function release(folder: string, current: Schemas): Promise<void> {
  for (const [name, text] of current) {
    const compact = name.endsWith('.json') ? JSON.stringify(JSON.parse(text)) : text.trimEnd();
    await writeFile(join(folder, name), `${compact}\n`);
  }
  await writeFile(join(folder, ALLOWED), '[]\n');
}
