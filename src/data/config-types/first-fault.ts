import type { ErrorObject } from 'ajv';
import { stepsOfPointer } from '../../base/json-pointer.js';

/** The place and the reason of a schema fault, in words for the client. */
export interface Fault {
  /** Dotted path such as `portRanges.0.low`; `(root)` for the whole. */
  readonly field: string;
  readonly reason: string;
  readonly value: unknown;
}

type Path = readonly string[];

const pathOf = ({ instancePath }: ErrorObject): Path => stepsOfPointer(instancePath);

const member = (data: unknown, name: string): unknown =>
  typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined;

const keys = (data: unknown): readonly string[] =>
  typeof data === 'object' && data !== null ? Object.keys(data) : [];

/** Negative when `a` comes first in the document; a whole comes before its parts. */
function inDocumentOrder(data: unknown, a: Path, b: Path): number {
  let at = data;
  for (let depth = 0; depth < Math.min(a.length, b.length); depth++) {
    const [left = '', right = ''] = [a[depth], b[depth]];
    if (left !== right) return keys(at).indexOf(left) - keys(at).indexOf(right);
    at = member(at, left);
  }
  return a.length - b.length;
}

/** Faults that only announce others, which give more detail. */
const isEcho = (fault: ErrorObject): boolean => fault.keyword === 'if';

const isChoice = (fault: ErrorObject): boolean =>
  fault.keyword === 'anyOf' || fault.keyword === 'oneOf';

type Params = Readonly<Record<string, unknown>>;

const list = (values: unknown): string =>
  Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(', ') : '';

const REASONS: Readonly<Record<string, (params: Params) => string>> = {
  required: (params) => `${String(params['missingProperty'])} is required`,
  additionalProperties: (params) => `${String(params['additionalProperty'])} is not allowed here`,
  enum: (params) => `must be one of ${list(params['allowedValues'])}`,
  const: (params) => `must be ${JSON.stringify(params['allowedValue'])}`,
  anyOf: () => 'fits none of the forms allowed here',
  oneOf: () => 'must fit exactly one of the forms allowed here',
};

const reasonOf = (fault: ErrorObject): string =>
  REASONS[fault.keyword]?.(fault.params) ?? fault.message ?? 'does not conform to the schema';

/** Gives the fault that comes first in the document: the same data always gets the same answer. */
export function firstFault(data: unknown, faults: readonly ErrorObject[]): Fault | undefined {
  const located = faults
    .filter((fault) => !isEcho(fault))
    .map((fault) => ({ fault, path: pathOf(fault) }));
  const [first] = located.sort(
    (a, b) =>
      inDocumentOrder(data, a.path, b.path) ||
      Number(isChoice(b.fault)) - Number(isChoice(a.fault)),
  );
  return (
    first && {
      field: first.path.join('.') || '(root)',
      reason: reasonOf(first.fault),
      value: first.path.reduce(member, data),
    }
  );
}
