import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Interface } from '../../rest-compat/engine/rest-row.js';
import { isObject, type Row } from '../../src/base/row.js';
import { PublishedContract, type ContractOperation } from './support/published-contract.js';

/*
 * The reduced contract says what the published one says. The published contract is not part of the
 * product: this runs where OVERGRAPH_CONTRACT_DIR names its folder.
 */

const folder = process.env.OVERGRAPH_CONTRACT_DIR ?? '';
const describeSource = folder === '' ? describe.skip : describe;

const CONTRACTS = [
  {
    name: 'edge',
    below: '',
    interfaces: ['client', 'management'],
    additions: 'additions-v0.31.0.json',
  },
  { name: 'fabric', below: 'fabric', interfaces: ['fabric'], additions: undefined },
] as const;

/** What a newer version of the contract has; `changedSchemas` names schemas, or members of them. */
interface Additions {
  readonly operations: Readonly<Partial<Record<Interface, readonly SourceOperation[]>>>;
  readonly schemas: Readonly<Record<string, Row>>;
  readonly changedSchemas: Readonly<Record<string, Row>>;
}

const NO_ADDITIONS: Additions = { operations: {}, schemas: {}, changedSchemas: {} };

interface SourceOperation {
  readonly method: string;
  readonly path: string;
  readonly params: readonly { name: string; in: string; type: string; required: boolean }[];
  readonly body: { readonly schemaRef?: string; readonly required: boolean } | null;
  readonly responses: Readonly<Record<string, { readonly schemaRef?: string }>>;
}

const KEPT = [
  ...['$ref', 'type', 'format', 'enum', 'nullable', 'required', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'minItems', 'discriminator', 'x-class'],
];

/** What the reduced contract keeps of a schema. */
function keptOf(schema: Row): Row {
  const { properties, items, allOf, additionalProperties } = schema;
  const kept: Row = Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) => KEPT.includes(keyword) && value !== false),
  );
  if (Array.isArray(allOf)) {
    const parts = (allOf as Row[]).map(keptOf);
    // The parts have the type.
    delete kept.type;
    return { ...kept, ...(parts.length === 1 ? parts[0] : { allOf: parts }) };
  }
  if (isObject(properties) || Array.isArray(schema.required)) {
    const members = Object.entries(properties ?? {}) as [string, Row][];
    const all = Object.fromEntries(members.map(([name, member]) => [name, keptOf(member)]));
    return { ...kept, type: 'object', properties: all };
  }
  if (isObject(items)) return { ...kept, items: keptOf(items) };
  if (additionalProperties === undefined) return kept;
  return {
    ...kept,
    additionalProperties: isObject(additionalProperties) ? keptOf(additionalProperties) : {},
  };
}

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

/** With the required members in an order that says nothing. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isObject(value)) return value;
  const { required, ...others } = value;
  return {
    ...Object.fromEntries(Object.entries(others).map(([k, v]) => [k, comparable(v)])),
    ...(Array.isArray(required) ? { required: required.map(String).sort(byText) } : {}),
  };
}

const reducedOf = ({
  method,
  path,
  params,
  body,
  responses,
}: SourceOperation): ContractOperation => ({
  method,
  path,
  params: params
    .filter((p) => p.in === 'query')
    .map(({ name, type, required }) => ({ name, type, required })),
  body: body && {
    required: body.required,
    ...(body.schemaRef === undefined ? {} : { schemaRef: body.schemaRef }),
  },
  responses: Object.fromEntries(
    Object.entries(responses).map(([status, { schemaRef }]) => [
      status,
      Number(status) < 400 ? (schemaRef ?? undefined) : undefined,
    ]),
  ),
});

/** The schema with the members that a newer version declares otherwise. */
function withNewer(schema: Row, members: readonly (readonly [string, Row])[]): Row {
  const { properties, allOf } = schema;
  if (Array.isArray(allOf)) {
    return { ...schema, allOf: (allOf as Row[]).map((part) => withNewer(part, members)) };
  }
  if (!isObject(properties)) return schema;
  const newer = members.filter(([member]) => member in properties);
  return { ...schema, properties: { ...properties, ...Object.fromEntries(newer) } };
}

function withAdditions(schemas: Record<string, Row>, additions: Additions): Record<string, Row> {
  const changed = Object.entries(additions.changedSchemas);
  const whole = changed.filter(([name]) => !name.includes('.'));
  const membersOf = (schema: string): [string, Row][] =>
    changed.flatMap(([name, member]): [string, Row][] =>
      name.startsWith(`${schema}.`) ? [[name.slice(schema.length + 1), member]] : [],
    );
  const named = Object.entries({ ...schemas, ...additions.schemas, ...Object.fromEntries(whole) });
  return Object.fromEntries(named.map(([name, one]) => [name, withNewer(one, membersOf(name))]));
}

describeSource.each(CONTRACTS)('the reduced contract: $name', (source) => {
  const { name, below, interfaces, additions } = source;
  const read = (file: string): unknown =>
    JSON.parse(readFileSync(join(folder, below, file), 'utf8')) as unknown;
  const contract = new PublishedContract(name);
  // Read in the tests: this body runs also where they are skipped, without the files.
  const added = (): Additions =>
    additions === undefined ? NO_ADDITIONS : (read(additions) as Additions);

  test.each(interfaces)('has the operations of %s', (on: Interface) => {
    const published = read(`${on}.operations.json`) as SourceOperation[];
    const all = [...published, ...(added().operations[on] ?? [])];
    const keyOf = ({ method, path }: ContractOperation): string => `${method} ${path}`;
    const sorted = (all: readonly ContractOperation[]): ContractOperation[] =>
      all.toSorted((a, b) => byText(keyOf(a), keyOf(b)));
    expect(sorted(contract.operations(on))).toEqual(sorted(all.map(reducedOf)));
  });

  test('has the schemas', () => {
    const published = read('schemas.json') as { schemas: Record<string, Row> };
    const schemas = withAdditions(published.schemas, added());
    expect([...contract.names].sort(byText)).toEqual(Object.keys(schemas).sort(byText));
    for (const [schema, source] of Object.entries(schemas)) {
      expect([schema, comparable(contract.schema(schema))]).toEqual([
        schema,
        comparable(keptOf(source)),
      ]);
    }
  });
});
