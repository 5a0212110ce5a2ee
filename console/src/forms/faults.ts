/** The faults of a form by the paths of its fields: `primary.updb`, `data.portRanges.0.low`. */
export type FormFaults = Readonly<Record<string, string>>;

/** Finds the fault of a field that shows all below it: its own, or the first one below. */
export function faultBelow(faults: FormFaults, path: string): string | undefined {
  const own = faults[path];
  if (own !== undefined) return own;
  const below = Object.entries(faults).find(([place]) => place.startsWith(`${path}.`));
  return below && `${below[0].slice(path.length + 1)}: ${below[1]}`;
}
