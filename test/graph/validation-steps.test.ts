import { expect, test } from '@jest/globals';
import {
  stepsOfNodes,
  stepsOfTerminators,
} from '../../src/graph/operations/network/validation-steps.js';

const numbered = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${kind}${String(i)}`);

test('ten nodes are asked at a time', () => {
  const steps = stepsOfNodes(numbered('router', 23));
  expect(steps.map(({ nodeIds }) => nodeIds.length)).toEqual([10, 10, 3]);
  expect(steps.flatMap(({ nodeIds }) => nodeIds)).toEqual(numbered('router', 23));
});

test('each router is asked once in a step, and about five hundred terminators in all', () => {
  const sizes = { large: 1_100, small: 3, other: 2 };
  const terminators = Object.entries(sizes).flatMap(([routerId, size]) =>
    numbered(routerId, size).map((id) => ({ id, routerId })),
  );
  const steps = stepsOfTerminators(terminators);
  expect(steps.map(({ nodeIds, names }) => [nodeIds, names.length])).toEqual([
    [['large'], 500],
    [['large'], 500],
    [['large', 'small', 'other'], 105],
  ]);
  expect(steps.flatMap(({ names }) => names).sort()).toEqual(
    terminators.map(({ id }) => id).sort(),
  );
});

test('nothing needs no step', () => {
  expect(stepsOfNodes([])).toEqual([]);
  expect(stepsOfTerminators([])).toEqual([]);
});
