import type { Random } from './random.js';
import { placeholder } from './placeholders.js';

/* Texts of the filter language, most of them sound. */

const COMPARED = ['=', '!=', '<', '<=', '>', '>='];
const NAMES = ['id', 'name', 'createdAt', 'updatedAt', 'tags.place', 'isSystem', 'roleAttributes'];
const TEXTS = ['"a"', '""', '"fuzz"', '"é😀"', '"\\\\ \\" \\n"', '"%_"', '"blue"', '"2024-01-01"'];
const NUMBERS = ['0', '-1', '1.5', '65535', '9223372036854775808', '1e3', '1e400', '-0'];
const TIMES = ['2024-01-01T00:00:00Z', '2023-06-30T23:59:59.5+02:00', '0001-01-01T00:00:00Z'];

const literal = (random: Random): string =>
  random.made([
    [6, () => random.pick(TEXTS)],
    [2, () => `"${placeholder('identities', random.between(0, 20))}"`],
    [3, () => random.pick(NUMBERS)],
    [2, () => random.pick(['true', 'false', 'null'])],
    [2, () => `datetime(${random.pick(TIMES)})`],
  ]);

/** A filter on a list whose entries have fields of these names. */
export function filterText(random: Random, fields: readonly string[] = []): string {
  const names = [...NAMES, ...fields];
  const condition = condensed(random, names, random.between(0, 3));
  const clauses = [
    ...random.some([`sort by ${sortText(random, fields)}`], 25),
    ...random.some([`skip ${String(random.between(-1, 30))}`], 15),
    ...random.some([`limit ${random.pick(['0', '1', '7', '500', '501', '-1', 'none'])}`], 25),
  ];
  return [condition, ...clauses].join(' ');
}

export const sortText = (random: Random, fields: readonly string[] = []): string =>
  random
    .list(1, 3, () => random.pick([...NAMES, ...fields]) + random.pick(['', ' asc', ' DESC']))
    .join(', ');

function condensed(random: Random, names: readonly string[], depth: number): string {
  if (depth <= 0) return comparison(random, names);
  const inner = (): string => condensed(random, names, depth - 1);
  return random.made([
    [4, () => comparison(random, names)],
    [3, () => `${inner()} ${random.pick(['and', 'or', 'AND'])} ${inner()}`],
    [2, () => `(${inner()})`],
    [2, () => `not ${inner()}`],
    [1, () => `isEmpty(from ${random.pick(names)} where ${inner()})`],
    [1, () => `count(from ${random.pick(names)} where ${inner()}) > ${random.pick(NUMBERS)}`],
  ]);
}

function comparison(random: Random, names: readonly string[]): string {
  const name = random.pick(names);
  const not = random.pick(['', '', 'not ']);
  const one = (): string => literal(random);
  return random.made([
    [8, () => `${name} ${random.pick(COMPARED)} ${one()}`],
    [3, () => `${name} ${not}contains ${random.pick(TEXTS)}`],
    [2, () => `${name} ${not}icontains ${random.pick(TEXTS)}`],
    [2, () => `${name} ${not}in [${random.list(1, 5, one).join(', ')}]`],
    [2, () => `${name} ${not}between ${one()} and ${one()}`],
    [3, () => `${random.pick(['anyOf', 'allOf'])}(${name}) ${random.pick(COMPARED)} ${one()}`],
    [1, () => `isEmpty(${name})`],
    [1, () => `count(${name}) ${random.pick(COMPARED)} ${random.pick(NUMBERS)}`],
    [1, () => name],
    [1, () => random.pick(['true', 'false'])],
  ]);
}
