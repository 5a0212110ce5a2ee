import type { SceneNode } from './scene.js';

/* The room for the labels of a picture, which stand to the right of their nodes. */

/** Nodes whose heights differ by less stand on one line of letters. */
const LINE = 12;
/** Labels lie over nodes that are nearer: crowded nodes would have none otherwise. */
const NEAR = 40;
const GAP = 3;
/** In a narrower room a label tells nothing. */
const MIN_ROOM = 24;

/** Gives for each node the key of the next one to its right on the same line, which is not near. */
export function neighboursOf(nodes: readonly SceneNode[]): ReadonlyMap<string, string> {
  const neighbours = new Map<string, string>();
  const byHeight = [...nodes].sort((a, b) => a.y - b.y);
  let [first, end] = [0, 0];
  for (const node of byHeight) {
    while (heightOf(byHeight[first]) <= node.y - LINE) first += 1;
    while (heightOf(byHeight[end]) < node.y + LINE) end += 1;
    const neighbour = nextTo(node, byHeight.slice(first, end));
    if (neighbour) neighbours.set(node.key, neighbour.key);
  }
  return neighbours;
}

const heightOf = (node: SceneNode | undefined): number => node?.y ?? Infinity;

const nextTo = (node: SceneNode, line: readonly SceneNode[]): SceneNode | undefined =>
  line.reduce<SceneNode | undefined>(
    (next, other) => (other.x > node.x + NEAR && other.x < (next?.x ?? Infinity) ? other : next),
    undefined,
  );

export interface LabelPlace {
  /** The begin of the label. */
  readonly left: number;
  /** The right edge of the picture. */
  readonly edge: number;
  /** The place and the radius of the next node on the line. */
  readonly next: { readonly x: number; readonly size: number } | undefined;
}

/** The width that a label may have. */
export const roomOf = ({ left, edge, next }: LabelPlace): number =>
  Math.min(edge, next ? next.x - next.size : edge) - GAP - left;

/**
 * Leaves out the middle of a text that is wider than its room: names often begin alike, and states stand
 * at the end. Empty: there is no room.
 */
export function shortened(text: string, room: number, widthOf: (text: string) => number): string {
  if (room < MIN_ROOM) return '';
  if (widthOf(text) <= room) return text;
  const letters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  let [fitting, tooMany] = [0, letters.length];
  while (tooMany - fitting > 1) {
    const count = Math.floor((fitting + tooMany) / 2);
    if (widthOf(withoutMiddle(letters, count)) <= room) fitting = count;
    else tooMany = count;
  }
  return withoutMiddle(letters, fitting);
}

function withoutMiddle(letters: readonly string[], count: number): string {
  const head = Math.ceil(count / 2);
  const tail = count - head;
  return `${letters.slice(0, head).join('')}…${letters.slice(letters.length - tail).join('')}`;
}
