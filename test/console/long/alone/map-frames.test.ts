import { beforeAll, expect, test } from '@jest/globals';
import { inBrowser, useConsole } from '../../support/console-in-browser.js';

/**
 * The map of a network with as many nodes as a map can have: how many frames a second it has while the
 * picture is moved and changes its size. Without a graphics card the browser draws by the processor, on all
 * cores; beside other work its threads wait for each other, which takes processor time as well.
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

/**
 * Counts the frames in which the picture moves: after a movement of the pointer, and for a while after a
 * turn of the wheel. Other frames cost nothing, and a slow browser has many of these.
 */
const COUNT = `window.moved_ = { frames: 0 };
  let hasMoved = false;
  let turningUntil = 0;
  addEventListener('mousemove', () => { hasMoved = true; }, { capture: true });
  addEventListener('wheel', () => { turningUntil = performance.now() + 100; }, { capture: true });
  (function next() {
    if (hasMoved || performance.now() < turningUntil) moved_.frames += 1;
    hasMoved = false;
    requestAnimationFrame(next);
  })();`;

/** Waits for the pixels: a browser without a screen counts frames that are not drawn yet. */
const READ_PIXEL = `(() => {
  const gl = document.querySelector('.sigma-nodes').getContext('webgl2');
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
})()`;

const MOVE_MS = 5_000;
/** Two cores have so much time for each of 30 frames a second. */
const MAX_MS = 2 * (1_000 / 30);

type Act = (step: number) => Promise<void>;

/** Moves the picture for some seconds. Asserts the processor time of a frame, and prints the rate. */
async function expectQuick(name: string, act: Act): Promise<void> {
  const { page } = opened;
  await page.evaluate(READ_PIXEL);
  await page.evaluate('moved_.frames = 0');
  const used = await processorTime();
  const begin = Date.now();
  for (let step = 0; Date.now() - begin < MOVE_MS; step += 1) await act(step);
  const frames = await page.evaluate<number>('moved_.frames');
  await page.evaluate(READ_PIXEL);
  const perSecond = (1_000 * frames) / (Date.now() - begin);
  const perFrame = (await used()) / frames;
  process.stderr.write(
    `map of 2,000 nodes, ${name}: ${perSecond.toFixed(1)} frames/s, ` +
      `${perFrame.toFixed(1)} ms of processor time a frame\n`,
  );
  expect(perFrame).toBeLessThan(MAX_MS);
}

/** Counts the processor time of the browser from now on in milliseconds. */
async function processorTime(): Promise<() => Promise<number>> {
  const client = await opened.page.context().browser()?.newBrowserCDPSession();
  if (!client) throw new Error('the page has no browser');
  const read = async (): Promise<number> => {
    const { processInfo } = await client.send('SystemInfo.getProcessInfo');
    // One process may be listed as several: as the browser and as the renderer.
    const times = new Map(processInfo.map(({ id, cpuTime }) => [id, 1_000 * cpuTime]));
    return [...times.values()].reduce((sum, time) => sum + time, 0);
  };
  const begin = await read();
  return async () => (await read()) - begin;
}

/** Opens a map, and moves the pointer to its middle. */
async function openMap(search: string): Promise<{ readonly x: number; readonly y: number }> {
  const { page } = opened;
  await opened.open(`/map?nodes=2000${search}`);
  const canvas = page.getByRole('application', { name: /^Picture of the network/ });
  await canvas.and(page.locator('[aria-busy=false]')).waitFor();
  const [, nodes = ''] =
    /with ([\d,]+) nodes/.exec((await canvas.getAttribute('aria-label')) ?? '') ?? [];
  expect(Number(nodes.replaceAll(',', ''))).toBeGreaterThanOrEqual(NODES);
  await page.evaluate(COUNT);
  const box = await canvas.boundingBox();
  if (!box) throw new Error('the picture has no place');
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  return middle;
}

/** Far enough that the picture is also drawn anew on the way. */
const [SIDEWAYS, UPWARDS] = [300, 120];
/** Turns of the wheel in one direction: fewer than lead to the limits of the size. */
const TURNS = 8;

inBrowser('the map of 2,000 nodes', () => {
  beforeAll(async () => {
    await opened.page.setViewportSize({ width: 1_400, height: 900 });
    await opened.enter();
  });

  test.each([
    ['in lanes', ''],
    ['free', '&layout=force'],
  ])('moves %s', async (name, search) => {
    const { mouse } = opened.page;
    const { x, y } = await openMap(search);
    await mouse.down();
    await expectQuick(`${name}, moved`, (step) =>
      mouse.move(x + SIDEWAYS * Math.sin(step / 20), y + UPWARDS * Math.sin(step / 13)),
    );
    await mouse.up();
    await expectQuick(`${name}, by the wheel`, (step) =>
      mouse.wheel(0, step % (2 * TURNS) < TURNS ? -100 : 100),
    );
    expect(opened.faults).toEqual([]);
  });
});
