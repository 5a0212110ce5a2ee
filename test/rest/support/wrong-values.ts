import type { Shape } from '../../fuzz/shapes.js';
import type { RestOperation } from '../../fuzz/rest-operations.js';
import { isObject, type Row } from '../../../src/base/row.js';

/*
 * Every argument and every member of a body of an operation, with a value of every wrong kind. The
 * rest of each request is valid.
 */

/** A JSON text that stands in a body as it is: JavaScript can not hold its value. */
class Verbatim {
  constructor(readonly json: string) {}
}

/** A request with one odd value. */
export interface OddRequest {
  /** The argument, or the dotted path of the member; `body` is the whole body. */
  readonly field: string;
  /** The kind of the value. */
  readonly value: string;
  /** Whether the declaration forbids the value. */
  readonly isWrong: boolean;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bodies, of which one at least shows the fault; empty without a body. */
  readonly texts: readonly string[];
}

const NUMBERS: Readonly<Record<string, unknown>> = {
  'above 32 bits': 2_147_483_648,
  'below 32 bits': -2_147_483_649,
  'above a safe integer': new Verbatim('9007199254740993'),
  'above 64 bits': new Verbatim('18446744073709551616'),
  'infinite exponent': new Verbatim('1e400'),
  'small exponent': new Verbatim('1e-7'),
};

const VALUES: Readonly<Record<string, unknown>> = {
  fraction: 1.5,
  'whole exponent': new Verbatim('1e3'),
  text: 'odd',
  'text of a number': '5',
  'empty text': '',
  'text with NUL': 'a\0b',
  true: true,
  list: [],
  'list of a list': [[]],
  object: {},
};

const TIMES: Readonly<Record<string, unknown>> = {
  'impossible day': '2030-02-30T00:00:00Z',
  'impossible hour': '2030-01-02T25:00:00Z',
  'day alone': '2030-01-02',
  'time with a blank': '2030-01-02 03:04:05Z',
  'leap second': '2030-06-30T23:59:60Z',
};

/** More values for shapes with bounds or a form of their own. */
const MORE: Readonly<Partial<Record<Shape['kind'], typeof VALUES>>> = {
  int: NUMBERS,
  float: NUMBERS,
  any: NUMBERS,
  time: TIMES,
};

/**
 * The odd values that are of the shape; whether one may stand there is decided by more than the
 * shape.
 */
const TAKEN: Readonly<Record<Shape['kind'], readonly string[]>> = {
  any: [...Object.keys(VALUES), ...Object.keys(NUMBERS)],
  text: ['text', 'text of a number', 'empty text'],
  time: ['time with a blank'],
  bytes: ['empty text', 'text', 'text of a number'],
  enum: [],
  bool: ['true'],
  int: ['whole exponent'],
  float: ['fraction', 'whole exponent', ...Object.keys(NUMBERS)],
  // An entry that is a list is among the odd entries.
  list: ['list', 'list of a list'],
  map: ['object'],
  object: ['object'],
};

/** Taken values of these shapes meet the shape alone; the other tests send such. */
const PLAIN: readonly Shape['kind'][] = ['text', 'bool', 'list', 'map', 'object', 'float'];

interface Odd {
  readonly field: string;
  readonly name: string;
  readonly body: unknown;
  readonly isWrong: boolean;
}

/** A value that fits a shape: with the required members alone. */
export function validValue(shape: Shape): unknown {
  switch (shape.kind) {
    case 'any':
    case 'map':
      return {};
    case 'text':
    case 'bytes':
      return 'text';
    case 'time':
      return '2030-01-02T03:04:05Z';
    case 'int':
    case 'float':
      return 1;
    case 'bool':
      return true;
    case 'enum':
      return shape.values[0];
    case 'list':
      return [];
    case 'object':
      return Object.fromEntries(
        shape
          .members()
          .filter(({ isRequired }) => isRequired)
          .map((m) => [m.name, validValue(m.shape)]),
      );
  }
}

const join = (at: string, step: string): string => (at === '' ? step : `${at}.${step}`);

function oddValues(shape: Shape, field: string): Odd[] {
  const values = { ...VALUES, ...MORE[shape.kind] };
  const alone = Object.entries(values)
    .map(([name, body]): Odd => {
      const isWrong = !TAKEN[shape.kind].includes(name);
      return { field, name, body, isWrong };
    })
    .filter(({ isWrong }) => isWrong || !PLAIN.includes(shape.kind));
  if (shape.kind === 'list') return [...alone, ...oddEntries(shape.of, field)];
  return shape.kind === 'object' ? [...alone, ...oddMembers(shape, field)] : alone;
}

function oddEntries(of: Shape, field: string): Odd[] {
  const inside = oddValues(of, join(field, '0'));
  const nothing = { field: join(field, '0'), name: 'null', body: null, isWrong: of.kind !== 'any' };
  return [...inside, nothing].map((odd) => ({ ...odd, body: [odd.body] }));
}

function oddMembers(shape: Shape & { kind: 'object' }, at: string): Odd[] {
  const base = validValue(shape) as Row;
  return shape.members().flatMap(({ name, shape: member, isRequired }) => {
    const field = join(at, name);
    const absent = ['null', 'missing'].map((kind): Odd => {
      const body = { ...base, [name]: kind === 'null' ? null : undefined };
      return { field, name: kind, body, isWrong: isRequired };
    });
    const odd = oddValues(member, field).map((o) => ({ ...o, body: { ...base, [name]: o.body } }));
    return [...odd, ...absent];
  });
}

/** Objects of several kinds ignore the members of other kinds, so each kind is tried. */
const KIND = 'typeId';
const KINDS: readonly Row[] = [
  { [KIND]: 'OS', type: 'Linux', version: '1' },
  ...['PROCESS', 'PROCESS_MULTI', 'DOMAIN', 'MAC', 'MFA', 'ENDPOINT_STATE'].map((id) => ({
    [KIND]: id,
  })),
];

function kindsOf(shape: Shape): readonly Row[] {
  if (shape.kind === 'list') return kindsOf(shape.of);
  const isOfKinds =
    shape.kind === 'object' &&
    shape.members().some(({ name, isRequired }) => name === KIND && isRequired);
  return isOfKinds ? KINDS : [{}];
}

/** The value as one of another kind; entries of lists likewise. */
function asKind(body: unknown, kind: Row): unknown {
  if (Array.isArray(body)) return body.map((entry) => asKind(entry, kind));
  return isObject(body) && KIND in body && KIND in kind
    ? { ...kind, ...body, [KIND]: kind[KIND] }
    : body;
}

const textOf = (body: unknown): string =>
  JSON.stringify(body, (_, value: unknown) =>
    value instanceof Verbatim ? `verbatim:${value.json};` : value,
  ).replace(/"verbatim:([^;"]*);"/g, '$1');

const ofType = ({ bodies }: RestOperation, type: string): Shape | undefined =>
  bodies.find(({ mediaType }) => mediaType === type)?.shape;

function oddBodies(operation: RestOperation): Omit<OddRequest, 'path' | 'headers'>[] {
  const { needsBody } = operation;
  const shape = ofType(operation, 'application/json');
  if (!shape) return [];
  const kinds = kindsOf(shape);
  const takesText = ofType(operation, 'text/plain') !== undefined;
  const odd = oddValues(shape, '').map(({ field, name, body, isWrong }) => ({
    field: field || 'body',
    value: name,
    isWrong: isWrong && !(takesText && field === '' && TAKEN.text.includes(name)),
    texts: (field.endsWith(KIND) ? [{}] : kinds).map((kind) => textOf(asKind(body, kind))),
  }));
  const absent = { field: 'body', isWrong: needsBody };
  return [
    ...odd,
    { ...absent, value: 'null', texts: ['null'] },
    { ...absent, value: 'missing', texts: [] },
  ];
}

const QUERY_TEXTS: Readonly<Record<string, string>> = {
  'above 32 bits': '2147483648',
  'above 64 bits': '18446744073709551616',
  'infinite exponent': '1e400',
  'whole exponent': '1e3',
  fraction: '1.5',
  text: 'odd',
  'text with NUL': 'a\0b',
  null: 'null',
  'empty text': '',
  blank: ' ',
  true: 'true',
  list: '[]',
  object: '{}',
};

/** Blank texts count as absent. */
const BLANK = ['empty text', 'blank'];
const ANY_TEXT = Object.keys(QUERY_TEXTS);

/** Pages take every integer of 64 bits. */
const PAGES = ['limit', 'offset'];

/** Fewer are sent where one reader serves every operation, or where any text is taken. */
const SENT_AS_TEXT = ['text', 'text with NUL', 'object', 'empty text'];
const SENT_AS_PAGE = ['above 64 bits', 'fraction', 'whole exponent', 'text', 'null'];
const SENT_AS_HEADER = ['above 64 bits', 'text', 'object'];

const isSent = ({ in: place, name, shape }: RestOperation['parameters'][number], value: string) => {
  if (place === 'header') return SENT_AS_HEADER.includes(value);
  if (PAGES.includes(name)) return SENT_AS_PAGE.includes(value);
  return shape.kind !== 'text' || SENT_AS_TEXT.includes(value);
};

const TAKEN_BY_QUERIES: Readonly<Record<Shape['kind'], readonly string[]>> = {
  any: ANY_TEXT,
  text: ANY_TEXT,
  bytes: ANY_TEXT,
  list: ANY_TEXT,
  map: [],
  object: [],
  time: BLANK,
  enum: BLANK,
  int: BLANK,
  float: [...BLANK, 'fraction', 'above 32 bits'],
  bool: [...BLANK, 'true'],
};

function takenBy({ name, shape, isRequired }: RestOperation['parameters'][number]): string[] {
  const entry = shape.kind === 'list' && shape.of.kind === 'enum' ? shape.of : shape;
  const taken = PAGES.includes(name) ? BLANK : TAKEN_BY_QUERIES[entry.kind];
  return taken.filter((value) => !isRequired || value !== 'empty text');
}

interface Address {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

const urlOf = ({ path, query }: Address): string => {
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
};

/** No entity has it, so that nothing changes. */
const NOBODY = 'nobody';

function validAddress({ path, parameters }: RestOperation): Address {
  const required = parameters.filter((p) => p.in === 'query' && p.isRequired);
  return {
    path: path.replace(/\{\w+\}/g, NOBODY),
    query: Object.fromEntries(required.map((p) => [p.name, String(validValue(p.shape))])),
  };
}

function oddParameters(operation: RestOperation, address: Address): OddRequest[] {
  const texts = validBody(operation);
  const odd = { headers: {}, texts };
  return operation.parameters.flatMap((p): OddRequest[] => {
    const { name } = p;
    if (p.in === 'path') return oddSegments(operation, address, name, texts);
    const all = Object.entries(QUERY_TEXTS).filter(([value]) => isSent(p, value));
    if (p.in === 'header') {
      const path = urlOf(address);
      return all.map(([value, text]) => ({
        ...{ field: name, value, isWrong: false, path, texts },
        headers: { [name]: text },
      }));
    }
    const taken = takenBy(p);
    const others = Object.fromEntries(Object.entries(address.query).filter(([n]) => n !== name));
    return [
      ...all.map(([value, text]) => ({
        ...odd,
        ...{ field: name, value, isWrong: !taken.includes(value) },
        path: urlOf({ ...address, query: { ...others, [name]: text } }),
      })),
      {
        ...odd,
        ...{ field: name, value: 'missing', isWrong: p.isRequired },
        path: urlOf({ ...address, query: others }),
      },
    ];
  });
}

const SEGMENTS = ['%00', '%E0%A4', '"', 'x'.repeat(1000)];

const oddSegments = (
  { path }: RestOperation,
  { query }: Address,
  name: string,
  texts: readonly string[],
): OddRequest[] =>
  SEGMENTS.map((segment) => ({
    ...{ field: name, value: segment, isWrong: false, headers: {}, texts },
    path: urlOf({ path: path.replace(`{${name}}`, segment).replace(/\{\w+\}/g, NOBODY), query }),
  }));

function validBody(operation: RestOperation): string[] {
  const shape = ofType(operation, 'application/json');
  return shape ? [textOf(validValue(shape))] : [];
}

/** One odd value of each kind as JSON. */
export const ODD_JSON: readonly string[] = [
  '2147483648',
  '1e400',
  '1.5',
  '"odd"',
  '"a\\u0000b"',
  'true',
  '[[]]',
  '{}',
  'null',
];

/** All requests for an operation that have one odd value each. */
export function oddRequests(operation: RestOperation): OddRequest[] {
  const address = validAddress(operation);
  const path = urlOf(address);
  return [
    ...oddParameters(operation, address),
    ...oddBodies(operation).map((odd) => ({ ...odd, path, headers: {} })),
  ];
}
