/** Makes pictures of screens small: at most 256 colours, one byte a pixel. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLOURS = 256;
const EXACT_COLOURS = 96;

/** Takes a PNG as browsers write it: 8 bits a channel, not interlaced. */
export function smallPng(png) {
  const { width, height, pixels } = decode(png);
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

/** Gives the colours of all pixels as numbers. */
function decode(png) {
  const data = [];
  let header;
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = content;
    if (type === 'IDAT') data.push(content);
    at += length + 12;
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = header[9] === 6 ? 4 : 3;
  const rows = unfiltered(inflateSync(Buffer.concat(data)), width * channels, height, channels);
  const pixels = new Uint32Array(width * height);
  for (let i = 0; i < pixels.length; i += 1) {
    const at = i * channels;
    pixels[i] = (rows[at] << 16) | (rows[at + 1] << 8) | rows[at + 2];
  }
  return { width, height, pixels };
}

/** Undoes the filters of the rows (PNG specification, 9.2). */
function unfiltered(raw, rowLength, height, step) {
  const rows = new Uint8Array(rowLength * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (rowLength + 1)];
    for (let x = 0; x < rowLength; x += 1) {
      const at = y * rowLength + x;
      const left = x >= step ? rows[at - step] : 0;
      const above = y > 0 ? rows[at - rowLength] : 0;
      const corner = x >= step && y > 0 ? rows[at - rowLength - step] : 0;
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      rows[at] = raw[y * (rowLength + 1) + 1 + x] + predicted;
    }
  }
  return rows;
}

function paeth(left, above, corner) {
  const estimate = left + above - corner;
  const distances = [left, above, corner].map((value) => Math.abs(estimate - value));
  const nearest = Math.min(...distances);
  return [left, above, corner][distances.indexOf(nearest)];
}

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
