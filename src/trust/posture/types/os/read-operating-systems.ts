import { readerOf } from '../../../../base/schema-reader.js';
import {
  anything,
  choice,
  filledListOf,
  filledText,
  listOf,
  orElse,
  ruled,
  schemaOf,
} from '../../../../base/typed-schema.js';
import { osTypes, type OperatingSystem } from '../../operating-system.js';
import { parseVersionRange } from '../../version-range.js';

const rangeFault = (range: string): string | undefined =>
  parseVersionRange(range.trim()) ? undefined : 'must be a version range';

const readList = readerOf(filledListOf(anything()));

const readEntry = readerOf(schemaOf({ type: choice(osTypes), versions: orElse(anything(), null) }));

const readVersions = readerOf(orElse(listOf(ruled(filledText(), rangeFault)), []), (ranges) =>
  ranges.map((range) => range.trim()),
);

/** Faults name versions by their operating system: `operatingSystems[Linux][1]`. */
function readOperatingSystem(entry: unknown, field: string, position: number): OperatingSystem {
  const { type, versions } = readEntry(entry, `${field}[${String(position)}]`);
  return { type, versions: readVersions(versions, `${field}[${type}]`) };
}

/** An operating system that is named twice counts as named last. */
export function readOperatingSystems(value: unknown, field = ''): readonly OperatingSystem[] {
  const systems = readList(value, field).map((entry, i) => readOperatingSystem(entry, field, i));
  return [...new Map(systems.map((system) => [system.type, system])).values()];
}
