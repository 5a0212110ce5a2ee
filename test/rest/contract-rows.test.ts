import { describe, expect, test } from '@jest/globals';
import { COMMON_STATUSES } from '../../rest-compat/engine/openapi.js';
import type { Interface, RestRow } from '../../rest-compat/engine/rest-row.js';
import { inputSchema } from '../../rest-compat/engine/openapi-schema.js';
import {
  BODY_SLIPS,
  FEWER_PARAMETERS,
  FEWER_STATUSES,
  IGNORED_BODIES,
  MORE_STATUSES,
  OPEN_MEMBERS,
  OWN_BODIES,
  type StatusSlip,
} from './contract-slips.js';
import {
  membersOf,
  publishedContracts,
  requiredOf,
  type ContractOperation,
  type ContractSchema,
  type PublishedContract,
} from './support/published-contract.js';
import { OWN_ROWS } from './own-rows.js';
import { keyOf } from './support/requests.js';
import { allRestRows } from '../support/graph.js';

const rows = await allRestRows();
const contracts = publishedContracts();

interface Pair {
  readonly name: string;
  readonly on: Interface;
  readonly row: RestRow;
  readonly operation: ContractOperation;
}

const keyOfOperation = ({ method, path }: ContractOperation): string => `${method} ${path}`;

const cases = rows.flatMap((row) =>
  row.on.flatMap((on): Pair[] => {
    const operation = contracts[on].operation(on, row);
    return operation ? [{ name: `${on} ${keyOf(row)}`, on, row, operation }] : [];
  }),
);

describe('the rows and the published contract', () => {
  test('every row is an operation of the contract, or named as one of ours', () => {
    const own = rows.filter((row) => row.on.some((on) => !contracts[on].operation(on, row)));
    expect(own.map(keyOf).sort()).toEqual(expect.arrayContaining(Object.keys(OWN_ROWS).sort()));
    expect(own.map(keyOf).filter((key) => !(key in OWN_ROWS))).toEqual([]);
  });

  const unserved = (['client', 'management', 'fabric'] as const).flatMap((on) =>
    contracts[on]
      .operations(on)
      .filter((o) => !rows.some((row) => row.on.includes(on) && keyOf(row) === keyOfOperation(o)))
      .map((o) => `${on} ${keyOfOperation(o)}`),
  );

  test('every operation of the contract is served', () => {
    expect(unserved).toEqual([]);
  });

  test.each(cases)('$name declares the statuses of the contract', ({ row, operation }) => {
    const theirs = Object.keys(operation.responses).map(Number);
    const ours = [row.status, ...row.errors];
    const missing = theirs.filter((s) => !ours.includes(s) && !COMMON_STATUSES.includes(s));
    expect(unexplained(row, missing, FEWER_STATUSES)).toEqual([]);
    const added = ours.filter((s) => !theirs.includes(s));
    expect(unexplained(row, added, MORE_STATUSES)).toEqual([]);
  });

  test.each(cases)('$name takes the parameters of the contract', ({ row, operation }) => {
    const ours = (row.parameters ?? []).map(({ name }) => name);
    const excused = Object.keys(FEWER_PARAMETERS).some((end) => row.path.endsWith(end));
    const missing = operation.params.filter(({ name }) => !ours.includes(name));
    expect(excused ? [] : missing.map(({ name }) => name)).toEqual([]);
  });

  test.each(cases)('$name gives parameters the types of the contract', ({ row, operation }) => {
    const types = new Map(operation.params.map(({ name, type }) => [name, type]));
    const shared = (row.parameters ?? []).filter(({ name }) => types.has(name));
    expect(shared.map(({ name, schema }) => [name, schema.type])).toEqual(
      shared.map(({ name }) => [name, types.get(name)]),
    );
  });

  test.each(cases)('$name takes a body where the contract does', ({ row, operation }) => {
    const isOfContract = operation.body !== null && !(keyOf(row) in IGNORED_BODIES);
    expect(row.body !== undefined).toBe(isOfContract || keyOf(row) in OWN_BODIES);
  });

  const withInput = cases.filter(({ row }) => row.body?.kind === 'input');

  test.each(withInput)('$name takes the members of the contract', (pair) => {
    const { row, operation, on } = pair;
    const name = operation.body?.schemaRef;
    const contract = contracts[on];
    if (row.body?.kind !== 'input' || name === undefined) return;
    const ours = inputSchema(row.body.resource, row.body.verb) as {
      properties: Record<string, ContractSchema>;
      required?: string[];
    };
    const excused = BODY_SLIPS[name]?.members ?? [];
    const [members, required] = everyMember(contract, contract.schema(name), name);
    const given = (names: readonly string[]): string[] =>
      names.filter((n) => !excused.includes(n)).sort();
    expect(given(Object.keys(ours.properties))).toEqual(given(members));
    expect(given(ours.required ?? [])).toEqual(given(required));
    const declared = membersOf(contract, contract.schema(name));
    const shared = Object.entries(ours.properties).filter(([member]) => declared.has(member));
    const theirs = (member: string): unknown => typeIn(contract, declared.get(member) ?? {});
    const typed = shared.filter(
      ([member]) => theirs(member) !== undefined && !(member in OPEN_MEMBERS),
    );
    expect(typed.map(([member, { type }]) => [member, type])).toEqual(
      typed.map(([member]) => [member, theirs(member)]),
    );
  });
});

/** The type of JSON that a schema asks for; undefined: any. */
function typeIn(published: PublishedContract, schema: ContractSchema): unknown {
  if (schema.$ref !== undefined) return typeIn(published, published.schema(schema.$ref));
  return schema.allOf ? 'object' : schema.type;
}

const unexplained = (row: RestRow, statuses: number[], slips: readonly StatusSlip[]): number[] =>
  statuses.filter((s) => !slips.some((slip) => slip.status === s && slip.rows.test(keyOf(row))));

/** All members and the required ones; of a family, the members of each of its kinds. */
function everyMember(
  published: PublishedContract,
  schema: ContractSchema,
  name: string,
): [members: string[], required: string[]] {
  const { $ref, discriminator } = schema;
  if ($ref !== undefined) return everyMember(published, published.schema($ref), $ref);
  const members = [...membersOf(published, schema).keys()];
  const kinds = discriminator === undefined ? [] : published.family(name);
  const all = kinds.flatMap((kind) => [...membersOf(published, kind).keys()]);
  return [[...new Set([...members, ...all])], [...new Set(requiredOf(published, schema))]];
}
