import { isObject } from '../../src/base/row.js';
import { mutateText } from './mutate-text.js';
import { nested, oddText, oddValue, wide, type LeftOut } from './odd-values.js';
import type { Random } from './random.js';

type Path = readonly (string | number)[];
type Change = (value: unknown, random: Random, leftOut: LeftOut) => unknown;

const MISSING = Symbol('missing');
const MAX_PLACES = 200;

/** Every place in a value, the value itself first. */
function placesIn(value: unknown, at: Path = [], found: Path[] = []): Path[] {
  if (found.length >= MAX_PLACES) return found;
  found.push(at);
  if (Array.isArray(value)) value.forEach((entry, i) => placesIn(entry, [...at, i], found));
  else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) placesIn(member, [...at, name], found);
  }
  return found;
}

/** The value with one place changed. */
function changedAt(value: unknown, path: Path, change: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(value);
  const below = (old: unknown): unknown => changedAt(old, rest, change);
  if (Array.isArray(value)) {
    return value
      .map((entry: unknown, i) => (i === step ? below(entry) : entry))
      .filter((entry) => entry !== MISSING);
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, name === step ? below(member) : member] as const)
      .filter(([, member]) => member !== MISSING),
  );
}

const MEMBER_NAMES = ['__proto__', 'constructor', 'id', 'name', 'unknown', '', 'toJSON', 'isAdmin'];

const CHANGES: readonly (readonly [weight: number, change: Change])[] = [
  [6, (_, random, leftOut) => oddValue(random, leftOut)],
  [3, () => MISSING],
  [2, () => null],
  [
    5,
    (value, random, leftOut) =>
      typeof value === 'string' ? mutateText(value, random, leftOut) : oddText(random, leftOut),
  ],
  [2, (value, random) => (random.chance(50) ? [value] : { value })],
  [2, (value) => (Array.isArray(value) ? [...value, ...value] : value)],
  [1, (_, random) => wide(random)],
  [1, (_, random, leftOut) => nested(random, leftOut)],
];

/** A value with one change somewhere, or a few. */
export function mutateValue(value: unknown, random: Random, leftOut: LeftOut): unknown {
  const count = random.weighted([
    [7, 1],
    [2, 2],
    [1, 3],
  ]);
  let changed = value;
  for (let i = 0; i < count; i += 1) {
    changed = random.chance(12)
      ? withMember(changed, random, leftOut)
      : changedAt(changed, random.pick(placesIn(changed)), (old) =>
          random.weighted(CHANGES)(old, random, leftOut),
        );
  }
  return changed === MISSING ? undefined : changed;
}

/** With a member that nobody declared, or under another name. */
function withMember(value: unknown, random: Random, leftOut: LeftOut): unknown {
  const objects = placesIn(value).filter((path) => {
    const isNested = path.length > 0 && leftOut.has('nested-members');
    return !isNested && isObject(memberAt(value, path));
  });
  if (objects.length === 0) return value;
  return changedAt(value, random.pick(objects), (old) => {
    const entries = Object.entries(old as object);
    const [name, member] =
      entries.length > 0 ? random.pick(entries) : ['', oddValue(random, leftOut)];
    const added = random.chance(50)
      ? random.pick(MEMBER_NAMES)
      : mutateText(name, random, leftOut).slice(0, 100);
    return Object.fromEntries([...entries, [added, member]]);
  });
}

function memberAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      Array.isArray(at) ? at[Number(step)] : isObject(at) ? at[String(step)] : undefined,
    value,
  );
}
