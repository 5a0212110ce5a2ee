import type { FindingKind, Severity } from '../emitted/operations.js';
import { description } from '../description/description.js';
import { idOf } from './address-values.js';

/** Which findings are listed, as the address has it. */
export interface FindingsSearch {
  readonly kinds?: readonly FindingKind[] | undefined;
  readonly severities?: readonly Severity[] | undefined;
  /** Whether muted findings are among them. */
  readonly muted?: boolean | undefined;
  /** The id of the finding that is open. */
  readonly open?: string | undefined;
}

/** The worst first. */
export const SEVERITIES: readonly Severity[] = ['HIGH', 'MEDIUM', 'LOW'];

export const TONES = { HIGH: 'bad', MEDIUM: 'warn', LOW: 'info' } as const;

export const FINDING_KINDS = Object.keys(
  description.enums.FindingKind ?? {},
) as readonly FindingKind[];

export const findingsSearch = ({
  kinds,
  severities,
  muted,
  open,
}: Readonly<Record<string, unknown>>): FindingsSearch => ({
  kinds: someOf(FINDING_KINDS, kinds),
  severities: someOf(SEVERITIES, severities),
  muted: muted === true ? true : undefined,
  open: idOf(open),
});

/** Undefined stands for all. */
export function someOf<Name extends string>(
  all: readonly Name[],
  chosen: unknown,
): readonly Name[] | undefined {
  if (!Array.isArray(chosen)) return undefined;
  const chosenNames = all.filter((each) => chosen.includes(each));
  return chosenNames.length === 0 || chosenNames.length === all.length ? undefined : chosenNames;
}
