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
  { name: 'edge', below: '', interfaces: ['client', 'management'] },
  { name: 'fabric', below: 'fabric', interfaces: ['fabric'] },
] as const;

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

describeSource.each(CONTRACTS)('the reduced contract: $name', ({ name, below, interfaces }) => {
  const read = (file: string): unknown =>
    JSON.parse(readFileSync(join(folder, below, file), 'utf8')) as unknown;
  const contract = new PublishedContract(name);

  test.each(interfaces)('has the operations of %s', (on: Interface) => {
    const source = read(`${on}.operations.json`) as SourceOperation[];
    const keyOf = ({ method, path }: ContractOperation): string => `${method} ${path}`;
    const sorted = (all: readonly ContractOperation[]): ContractOperation[] =>
      all.toSorted((a, b) => byText(keyOf(a), keyOf(b)));
    expect(sorted(contract.operations(on))).toEqual(sorted(source.map(reducedOf)));
  });

  test('has the schemas', () => {
    const { schemas } = read('schemas.json') as { schemas: Record<string, Row> };
    expect([...contract.names].sort(byText)).toEqual(Object.keys(schemas).sort(byText));
    for (const [schema, source] of Object.entries(schemas)) {
      expect([schema, comparable(contract.schema(schema))]).toEqual([
        schema,
        comparable(keptOf(source)),
      ]);
    }
  });
});
