/** The parts of schemas of OpenAPI 3.0 that our documents use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly allOf?: readonly JsonSchema[];
  readonly type?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
}

/** Clients send or receive the value: a change may break them in one direction only. */
export type Direction = 'sent' | 'given';

type Schemas = Readonly<Record<string, JsonSchema>>;

export interface SchemaComparison {
  /** Compares schemas; a named schema is compared once, however many operations use it. */
  compare(place: string, direction: Direction, before: JsonSchema, after: JsonSchema): void;
}

/** Compares schemas of two documents; each breaking change is reported as a sentence. */
export function schemaChanges(
  olds: Schemas,
  news: Schemas,
  report: (change: string) => void,
): SchemaComparison {
  const compared = new Set<string>();

  /** Whether the comparison is new: each named schema is compared once. */
  function isNew(direction: Direction, before: JsonSchema, after: string): boolean {
    const named = nameOf(before);
    if (named === undefined) return true;
    const key = [direction, named, after].join(' ');
    const isKnown = compared.has(key);
    compared.add(key);
    return !isKnown;
  }

  function compare(
    place: string,
    direction: Direction,
    before: JsonSchema,
    after: JsonSchema,
  ): void {
    if (!isNew(direction, before, nameOf(after) ?? place)) return;
    const [old, now] = [flat(olds, before), flat(news, after)];
    const at = nameOf(before) ?? place;
    for (const change of RULES[direction](old, now)) report(`${at} (${direction}) ${change}`);
    properties(at, direction, old, now);
    if (old.items) compare(`${at}[]`, direction, old.items, now.items ?? {});
    const [values, nextValues] = [valuesOf(old), valuesOf(now)];
    if (values && nextValues) compare(`${at}.*`, direction, values, nextValues);
  }

  function properties(at: string, direction: Direction, old: JsonSchema, now: JsonSchema): void {
    for (const [name, schema] of Object.entries(old.properties ?? {})) {
      const next = now.properties?.[name];
      if (next) compare(`${at}.${name}`, direction, schema, next);
      else report(`${at}.${name} (${direction}) is gone`);
    }
  }

  return { compare };
}

const nameOf = ({ $ref }: JsonSchema): string | undefined => $ref?.split('/').at(-1);

const valuesOf = ({ additionalProperties }: JsonSchema): JsonSchema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined;

/** Resolves references and merges the parts of `allOf`. */
function flat(schemas: Schemas, schema: JsonSchema): JsonSchema {
  const name = nameOf(schema);
  const own = name === undefined ? schema : { ...flat(schemas, schemas[name] ?? {}), ...schema };
  return (own.allOf ?? []).reduce<JsonSchema>((whole, part) => {
    const flatPart = flat(schemas, part);
    return {
      ...flatPart,
      ...whole,
      properties: { ...flatPart.properties, ...whole.properties },
      required: [...(flatPart.required ?? []), ...(whole.required ?? [])],
    };
  }, own);
}

/** Gives restrictions on values that were accepted before. */
const refused = (before: JsonSchema, after: JsonSchema): string[] => [
  ...(after.type !== undefined ? typeChange(before, after) : []),
  ...(before.nullable === true && after.nullable !== true ? ['may no longer be null'] : []),
  ...fewerValues(before, after),
  ...tighterBounds(before, after),
  ...missing(after.required, before.required).map((name) => `requires ${name}`),
];

function fewerValues(before: JsonSchema, after: JsonSchema): string[] {
  if (!after.enum) return [];
  if (!before.enum) return ['takes some values only'];
  return missing(before.enum, after.enum).map(
    (value) => `no longer takes ${JSON.stringify(value)}`,
  );
}

const tighterBounds = (before: JsonSchema, after: JsonSchema): string[] => [
  ...((after.minimum ?? -Infinity) > (before.minimum ?? -Infinity) ? ['has a higher minimum'] : []),
  ...((after.maximum ?? Infinity) < (before.maximum ?? Infinity) ? ['has a lower maximum'] : []),
];

/** Gives extensions of answers that clients do not expect. */
const unexpected = (before: JsonSchema, after: JsonSchema): string[] => [
  ...(before.type !== undefined ? typeChange(before, after) : []),
  ...(after.nullable === true && before.nullable !== true ? ['may be null'] : []),
  ...missing(before.required, after.required)
    .filter((name) => after.properties?.[name] !== undefined)
    .map((name) => `may lack ${name}`),
];

const missing = <T>(expected: readonly T[] = [], actual: readonly T[] = []): T[] =>
  expected.filter((value) => !actual.includes(value));

const typeChange = (before: JsonSchema, after: JsonSchema): string[] =>
  before.type === after.type
    ? []
    : [`was ${before.type ?? 'anything'} and is ${after.type ?? 'anything'}`];

const RULES = { sent: refused, given: unexpected } as const satisfies Record<Direction, unknown>;
