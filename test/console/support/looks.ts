import type { Page } from 'playwright-core';

/* Measures of the look of a page: whether anything is drawn, and whether text is cut off. */

/** A part of the screen. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Look {
  /** The colour that most pixels have, from 0 (black) to 1 (white). */
  readonly background: number;
  /** The share of the pixels that have another colour. */
  readonly painted: number;
}

/** Looks at one of so many pixels: no width of the screen is a multiple of it. */
const EVERY = 7;

/** Decodes the picture in the browser, and counts the colours of the part. */
const LOOK = `async ({ png, box }) => {
  const bytes = Uint8Array.from(atob(png), (each) => each.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const context = new OffscreenCanvas(box.width, box.height).getContext('2d');
  context.drawImage(picture, -box.x, -box.y);
  const { data } = context.getImageData(0, 0, box.width, box.height);
  const counts = new Map();
  const pixels = new Uint32Array(data.buffer);
  let looked = 0;
  for (let i = 0; i < pixels.length; i += ${String(EVERY)}, looked += 1) {
    counts.set(pixels[i], (counts.get(pixels[i]) ?? 0) + 1);
  }
  const [most, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  const sum = (most & 255) + ((most >> 8) & 255) + ((most >> 16) & 255);
  return { background: sum / (3 * 255), painted: 1 - count / looked };
}`;

/**
 * The parts that a page has: its menu (on narrow screens the head with the button of the menu), what is
 * below its heading, and its picture, where it has one. Where a dialog is open, it is the only part.
 */
const PARTS = `() => {
  const boxOf = (element, top = 0) => {
    if (!element?.checkVisibility()) return undefined;
    const { left, top: begin, right, bottom } = element.getBoundingClientRect();
    const [x, y] = [Math.max(left, 0), Math.max(begin, top, 0)].map(Math.ceil);
    const width = Math.floor(Math.min(right, innerWidth)) - x;
    const height = Math.floor(Math.min(bottom, innerHeight)) - y;
    return width > 0 && height > 0 ? { x, y, width, height } : undefined;
  };
  const of = (selector) => document.querySelector(selector);
  const dialog = of('[role=dialog]');
  if (dialog) return { dialog: boxOf(dialog) };
  const heading = of('main h1')?.getBoundingClientRect().bottom;
  return {
    menu: boxOf(of('nav')) ?? boxOf(of('.top')),
    content: boxOf(of('main'), heading),
    picture: boxOf(of('[role=application]')),
  };
}`;

/** Takes a picture of the screen, and tells of each part of the page how it looks. */
export async function looksOf(page: Page): Promise<Readonly<Record<string, Look>>> {
  const picture = await page.screenshot({ animations: 'disabled' });
  const png = picture.toString('base64');
  const parts = await page.evaluate<Record<string, Box | undefined>>(`(${PARTS})()`);
  const looks: Record<string, Look> = {};
  for (const [name, box] of Object.entries(parts)) {
    if (!box) continue;
    looks[name] = await page.evaluate<Look>(`(${LOOK})(${JSON.stringify({ png, box })})`);
  }
  return looks;
}

const CUT_OFF = `() => {
  const isWhole = (element) => {
    if (element.scrollWidth <= element.clientWidth + 1) return true;
    if (element.textContent.trim() === '') return true;
    const { overflowX, textOverflow, display } = getComputedStyle(element);
    if (display === 'inline' || ['auto', 'scroll'].includes(overflowX)) return true;
    const isTitled = element.title !== '' || element.querySelector('[title]') !== null;
    return textOverflow === 'ellipsis' && isTitled;
  };
  // Fields scroll by themselves, entries of lists in forms are as wide as their field, and what is for screen readers alone has no width.
  const looked = 'body *:not(input, textarea, select, svg, svg *, canvas, .hidden, .mantine-Pill-label)';
  return [...document.querySelectorAll(looked)]
    .filter((element) => element.checkVisibility() && !isWhole(element))
    .map((element) => element.outerHTML.slice(0, 200));
}`;

/**
 * The elements whose text is wider than themselves, but those that are made to scroll, and texts that
 * are shortened with "…" and have a title.
 */
export const cutOff = (page: Page): Promise<string[]> => page.evaluate<string[]>(`(${CUT_OFF})()`);
