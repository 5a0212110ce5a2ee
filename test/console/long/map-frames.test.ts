import { beforeAll, expect, test } from '@jest/globals';
import { inBrowser, useConsole } from '../support/console-in-browser.js';

/**
 * The map of a network with as many nodes as a map can have: how many frames a second it has while the
 * picture is moved. Without a graphics card the browser draws WebGL by the processor, so the figure is
 * about the machine and its other work; the processor time of a frame is not about the latter.
 */

const opened = useConsole();

/** 595 classes of identities, 595 of services and 100 of routers, and the policies that make them. */
const [CLASSES, ROUTERS] = [595, 100];
const NODES = 3 * CLASSES + 2 * ROUTERS;
/** As many as one request may apply. */
const IN_A_REQUEST = 1_000;
/** The sides of policies overlap, so that the picture has several thousand lines. */
const OVERLAP = 3;

type Input = Readonly<Record<string, unknown>>;

beforeAll(async () => {
  const changes = [
    ...each(CLASSES, 'identity', (i) => ({
      type: 'Default',
      isAdmin: false,
      roleAttributes: [`i${String(i)}`],
    })),
    ...each(CLASSES, 'service', (i) => ({
      encryptionRequired: true,
      roleAttributes: [`s${String(i)}`],
    })),
    ...each(ROUTERS, 'edgeRouter', (i) => ({ roleAttributes: [`r${String(i)}`] })),
    ...each(CLASSES, 'servicePolicy', (i) => ({
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: rolesFrom('i', i, CLASSES),
      serviceRoles: rolesFrom('s', i, CLASSES),
    })),
    ...each(ROUTERS, 'edgeRouterPolicy', (i) => ({
      semantic: 'AnyOf',
      identityRoles: rolesFrom('i', i, CLASSES),
      edgeRouterRoles: [`#r${String(i)}`],
    })),
  ];
  for (let from = 0; from < changes.length; from += IN_A_REQUEST) {
    await apply(changes.slice(from, from + IN_A_REQUEST));
  }
});

const each = (count: number, type: string, inputOf: (number: number) => Input) =>
  Array.from({ length: count }, (_, i) => ({
    operation: 'create',
    type,
    input: { name: `${type} ${String(i)}`, ...inputOf(i) },
  }));

const rolesFrom = (letter: string, first: number, count: number): string[] =>
  Array.from({ length: OVERLAP }, (_, i) => `#${letter}${String((first + i * 7) % count)}`);

async function apply(changes: readonly Input[]): Promise<void> {
  const { errors } = await opened.controller.graphql(
    'mutation ($changes: [ModelChangeInput!]!) { applyChanges(changes: $changes) { entityId } }',
    { changes },
  );
  expect(errors).toBeUndefined();
}

/** Writes down when the browser begins each frame. */
const RECORD = `window.frames_ = [];
  (function next(at) { window.frames_.push(at); requestAnimationFrame(next); })(performance.now());`;

const PAN_MS = 5_000;
/** A picture that moves at all: a busy machine without a graphics card has few frames. */
const LEAST_PER_SECOND = 3;

interface Panning {
  /** The times between frames in milliseconds. */
  readonly frames: readonly number[];
  /** The processor time in milliseconds. */
  readonly used: number;
}

/** Drags the picture from side to side. */
async function pan(): Promise<Panning> {
  const { page } = opened;
  const box = await page.getByRole('application').boundingBox();
  if (!box) throw new Error('the picture has no place');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(RECORD);
  const used = await processorTime();
  const begin = Date.now();
  for (let i = 0; Date.now() - begin < PAN_MS; i += 1) {
    await page.mouse.move(x + 150 * Math.sin(i / 20), y + 80 * Math.cos(i / 20));
  }
  const times = await page.evaluate<number[]>('window.frames_');
  const frames = times.slice(1).map((at, i) => at - (times[i] ?? at));
  const panning = { frames, used: await used() };
  await page.mouse.up();
  return panning;
}

/** Counts the processor time of the whole browser from now on in milliseconds, whatever else the machine does. */
async function processorTime(): Promise<() => Promise<number>> {
  const client = await opened.page.context().browser()?.newBrowserCDPSession();
  if (!client) throw new Error('the page has no browser');
  const read = async (): Promise<number> => {
    const { processInfo } = await client.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + 1_000 * cpuTime, 0);
  };
  const begin = await read();
  return async () => (await read()) - begin;
}

inBrowser('the map of 2,000 nodes', () => {
  test('moves', async () => {
    await opened.enter();
    await opened.page.setViewportSize({ width: 1_400, height: 900 });
    await opened.open('/map?nodes=2000');
    const canvas = opened.page.getByRole('application', { name: /^Picture of the network/ });
    await canvas.and(opened.page.locator('[aria-busy=false]')).waitFor();
    const [, nodes = ''] =
      /with ([\d,]+) nodes/.exec((await canvas.getAttribute('aria-label')) ?? '') ?? [];
    expect(Number(nodes.replaceAll(',', ''))).toBeGreaterThanOrEqual(NODES);
    await opened.page.mouse.move(0, 0);
    const { frames, used } = await pan();
    const total = frames.reduce((sum, each_) => sum + each_, 0);
    const perSecond = (1_000 * frames.length) / total;
    const sorted = [...frames].sort((a, b) => a - b);
    const slow = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
    process.stderr.write(
      `map with ${nodes} nodes: ${perSecond.toFixed(1)} frames/s while it is moved, ` +
        `95 % of the frames within ${slow.toFixed(0)} ms; ` +
        `a frame takes ${(used / frames.length).toFixed(1)} ms of processor time\n`,
    );
    expect(perSecond).toBeGreaterThanOrEqual(LEAST_PER_SECOND);
    expect(opened.faults).toEqual([]);
  });
});
