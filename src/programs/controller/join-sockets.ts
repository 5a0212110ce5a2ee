import type { Socket } from 'node:net';

/** A peer that reads nothing does not keep its connection open for longer. */
const CLOSE_MILLIS = 1_000;

/** Makes one connection of two: each gets what the other one sends, as fast as it reads, and ends with it. */
export function joinSockets(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.once('close', () => {
      to.destroySoon();
      setTimeout(() => to.destroy(), CLOSE_MILLIS).unref();
    });
  }
}
