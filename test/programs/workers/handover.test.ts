import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { Handover, type Connection } from '../../../src/programs/workers/handover.js';

/* The way of connections from the process that accepts them to one that serves them. */

const connection = (): Connection => ({
  socket: new Socket(),
  onClosed: () => undefined,
  start: undefined,
});

test('one connection is on its way at a time, in the order in which they came', () => {
  const sent: number[] = [];
  const handover = new Handover((id) => sent.push(id));
  const connections = [1, 2, 3].map((id) => {
    const each = connection();
    handover.give(id, each);
    return each;
  });
  expect(sent).toEqual([1]);
  handover.taken(1);
  expect(sent).toEqual([1, 2]);
  // The process that took it has its own end of it.
  expect(connections.map(({ socket }) => socket.destroyed)).toEqual([true, false, false]);
  handover.taken(2);
  handover.taken(3);
  expect(sent).toEqual([1, 2, 3]);
  handover.give(4, connection());
  expect(sent).toEqual([1, 2, 3, 4]);
});

test('what a process that ends has not taken is there for others', () => {
  const handover = new Handover(() => undefined);
  const connections = [1, 2, 3].map(() => connection());
  for (const [id, each] of connections.entries()) handover.give(id, each);
  handover.taken(0);
  expect([...handover.untaken.values()]).toEqual(connections.slice(1));
});
