/**
 * Makes pictures of screens small: at most 256 colours, one byte a pixel. The library reads pictures, but
 * writes none with a palette.
 */
import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLOURS = 256;
const EXACT_COLOURS = 96;

export function smallPng(png) {
  const { width, height, data } = PNG.sync.read(png);
  const pixels = coloursIn(data);
  const { palette, places } = reduce(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows[y * (width + 1) + 1 + x] = places.get(pixels[y * width + x]);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits a pixel, which name colours of a palette.
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => channelsOf(colour)))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const content = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(content.length + 8);
  framed.writeUInt32BE(data.length, 0);
  content.copy(framed, 4);
  framed.writeUInt32BE(crc32(content), content.length + 4);
  return framed;
}

const channelsOf = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];

/** Gives the colours of all pixels as numbers; `data` has four bytes for each. */
const coloursIn = (data) =>
  Uint32Array.from({ length: data.length / 4 }, (_, i) => data.readUInt32BE(i * 4) >>> 8);

/**
 * Chooses the colours, and gives the place of each colour of the picture. The most frequent ones stay as
 * they are: grey areas that differ a little are told apart. The others are chosen by median cut.
 */
function reduce(pixels) {
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const colours = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  const boxes = [
    ...colours.slice(0, EXACT_COLOURS).map((colour) => [colour]),
    ...medianCut(colours.slice(EXACT_COLOURS), MAX_COLOURS - EXACT_COLOURS),
  ];
  const places = new Map();
  const palette = boxes.map((box, place) => {
    for (const colour of box) places.set(colour, place);
    return box.reduce((a, b) => (counts.get(b) > counts.get(a) ? b : a));
  });
  return { palette, places };
}

function medianCut(colours, most) {
  if (colours.length === 0) return [];
  const boxes = [boxOf(colours)];
  while (boxes.length < most) {
    const widest = boxes.reduce((a, b) => (b.range > a.range ? b : a));
    if (widest.range === 0) break;
    const { channel } = widest;
    const sorted = widest.colours.sort((a, b) => channelsOf(a)[channel] - channelsOf(b)[channel]);
    const middle = sorted.length >> 1;
    const halves = [boxOf(sorted.slice(0, middle)), boxOf(sorted.slice(middle))];
    boxes.splice(boxes.indexOf(widest), 1, ...halves);
  }
  return boxes.map((box) => box.colours);
}

/** Colours, with the channel in which they differ most. */
function boxOf(colours) {
  const ranges = [0, 1, 2].map((channel) => {
    let [least, most] = [255, 0];
    for (const colour of colours) {
      const value = channelsOf(colour)[channel];
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    return most - least;
  });
  const range = Math.max(...ranges);
  return { colours, range, channel: ranges.indexOf(range) };
}
