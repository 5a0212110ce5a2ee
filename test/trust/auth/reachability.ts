import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { InProcess } from '../../support/in-process.js';
import { stopEverything, tryEverything } from './reach-attempts.js';
import { ReachWorld } from './reach-world.js';

/** Permission -> what docs/permissions.md says that it leads to. */
export async function documentedReaches(): Promise<Map<string, readonly string[]>> {
  const text = await readFile('docs/permissions.md', 'utf8');
  const rows = text.matchAll(/^\| `([\w.-]+)` +\| ((?:[a-z]+(?:, )?)+|–) +\|/gm);
  const entries = [...rows].map(([, permission, reaches]): [string, string[]] => [
    String(permission),
    reaches === '–' ? [] : String(reaches).split(', '),
  ]);
  return new Map(entries.filter(([permission]) => !WORDS.includes(permission)));
}

/** One test for each of the permissions: what it leads to is what the document says. */
export function testReaches(permissions: readonly string[]): void {
  let controller: InProcess;
  let documented: Map<string, readonly string[]>;

  beforeAll(async () => {
    documented = await documentedReaches();
    controller = await InProcess.start();
  });
  afterAll(() => controller.stop());

  test.each(permissions)(
    '%s leads to what the document says, and never to more rights',
    (permission: string) => expectReach(controller, permission, documented.get(permission)),
  );
}

/** What the same document explains in a table of its own. */
const WORDS = ['sees', 'joins', 'opens', 'redirects', 'routers', 'stops'];

/**
 * What a single permission leads to, by any sequence of operations: an intruder tries everything twice
 * over, so that each attempt follows every other, and logs in with whatever it was told and holds.
 */
async function expectReach(
  controller: InProcess,
  permission: string,
  documented: readonly string[] | undefined,
): Promise<void> {
  const world = await ReachWorld.create(controller, permission);
  const sees = await world.sees();
  await tryEverything(world);
  const seized: readonly string[] = await world.reached();
  await stopEverything(world);
  const reached = {
    sees,
    joins: seized.includes('joins'),
    opens: seized.includes('opens') || (await world.opens()),
    redirects: seized.includes('redirects'),
    routers: seized.includes('routers'),
    stops: await world.hasStopped(),
  };
  expect(await world.excess()).toStrictEqual([]);
  expect(WORDS.filter((word) => reached[word as keyof typeof reached])).toStrictEqual(documented);
}
