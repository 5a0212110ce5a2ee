import { readFileSync } from 'node:fs';
import type { Interface, RestRow } from '../../../rest-compat/engine/rest-row.js';
import { isObject, type Row } from '../../../src/base/row.js';
import type { Answer } from '../../support/controller.js';
import {
  FABRIC_SCHEMA_SLIPS,
  SCHEMA_OF,
  SCHEMA_SLIPS,
  type SchemaSlip,
} from '../contract-slips.js';
import { keyOf } from './requests.js';
import { schemaOf } from './contract-notation.js';
import { SchemaSet } from './json-schema.js';

/** The published contract, reduced to facts: see test/rest/contract/. */

export interface ContractParameter {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

export interface ContractOperation {
  readonly method: string;
  readonly path: string;
  /** Those of the query. */
  readonly params: readonly ContractParameter[];
  /** The schema has a name, with few exceptions. */
  readonly body: { readonly schemaRef?: string; readonly required: boolean } | null;
  /** The name of the schema of each success that has one. */
  readonly responses: Readonly<Record<string, string | undefined>>;
}

export type ContractSchema = Row & {
  readonly $ref?: string;
  readonly allOf?: readonly ContractSchema[];
  readonly properties?: Readonly<Record<string, ContractSchema>>;
  readonly required?: readonly string[];
  readonly items?: ContractSchema;
  readonly discriminator?: string;
};

interface ReducedContract {
  readonly operations: Readonly<Partial<Record<Interface, Readonly<Record<string, string>>>>>;
  readonly discriminators: Readonly<Record<string, string>>;
  readonly kinds: Readonly<Record<string, string>>;
  readonly schemas: Readonly<Record<string, string>>;
}

/** The contract of each interface; the fabric interface has schemas of its own. */
export type PublishedContracts = Readonly<Record<Interface, PublishedContract>>;

export function publishedContracts(): PublishedContracts {
  const edge = new PublishedContract('edge', SCHEMA_SLIPS);
  return {
    client: edge,
    management: edge,
    fabric: new PublishedContract('fabric', FABRIC_SCHEMA_SLIPS),
  };
}

/** `limit:integer filter*:string / #serviceCreate* / 200#empty 400`: query, body, statuses. */
function operationOf(key: string, text: string): ContractOperation {
  const [method = '', path = ''] = key.split(' ');
  const [query = '', body = '', answers = ''] = text.split(' / ');
  return {
    method,
    path,
    params: query === '-' ? [] : query.split(' ').map(parameterOf),
    body: body === '-' ? null : bodyOf(body),
    responses: Object.fromEntries(
      answers.split(' ').map((answer) => {
        const [status = '', schemaRef] = answer.split('#');
        return [status, schemaRef];
      }),
    ),
  };
}

function parameterOf(text: string): ContractParameter {
  const [name = '', type = ''] = text.split(':');
  return { name: name.replace('*', ''), type, required: name.endsWith('*') };
}

function bodyOf(text: string): ContractOperation['body'] {
  const schemaRef = text.replace(/[#*]/g, '');
  return { required: text.endsWith('*'), ...(schemaRef === '' ? {} : { schemaRef }) };
}

const FOLDER = new URL('../contract/', import.meta.url);

export class PublishedContract {
  readonly #operations: Readonly<Partial<Record<Interface, readonly ContractOperation[]>>>;
  readonly #named: Readonly<Record<string, ContractSchema>>;
  readonly #schemas: SchemaSet;

  constructor(name: 'edge' | 'fabric', slips: readonly SchemaSlip[] = []) {
    const text = readFileSync(new URL(`${name}.json`, FOLDER), 'utf8');
    const { operations, discriminators, kinds, schemas } = JSON.parse(text) as ReducedContract;
    this.#operations = Object.fromEntries(
      Object.entries(operations).map(([on, texts]) => [
        on,
        Object.entries(texts).map(([key, one]) => operationOf(key, one)),
      ]),
    );
    this.#named = Object.fromEntries(
      Object.entries(schemas).map(([schema, one]) => [
        schema,
        {
          ...schemaOf(one),
          ...(schema in discriminators ? { discriminator: discriminators[schema] } : {}),
          ...(schema in kinds ? { 'x-class': kinds[schema] } : {}),
        },
      ]),
    );
    for (const { schema, correct } of slips) {
      for (const part of declaring(this.schema(schema))) correct({ schema, part });
    }
    this.#schemas = new SchemaSet(this.#named, (reference) => reference);
  }

  get names(): readonly string[] {
    return Object.keys(this.#named);
  }

  operations(on: Interface): readonly ContractOperation[] {
    return this.#operations[on] ?? [];
  }

  operation(on: Interface, { method, path }: RestRow): ContractOperation | undefined {
    return this.operations(on).find((o) => o.method === method && o.path === path);
  }

  schema(name: string): ContractSchema {
    const schema = this.#named[name];
    if (!schema) throw new Error(`the contract has no schema ${name}`);
    return schema;
  }

  /** The schema that a value of a family has, by the member that tells. */
  member(base: string, discriminator: string, value: Row): string {
    const wanted = value[discriminator];
    const found = Object.entries(this.#named).find(
      ([, schema]) =>
        schema['x-class'] === wanted && schema.allOf?.some(({ $ref }) => $ref === base),
    );
    return found?.[0] ?? base;
  }

  /** The kinds of a family. */
  family(base: string): ContractSchema[] {
    return Object.values(this.#named).filter((schema) =>
      schema.allOf?.some(({ $ref }) => $ref === base),
    );
  }

  /** The name of the schema of an answer; none where the contract leaves the body open. */
  schemaOf(on: Interface, row: RestRow, status: number): string | undefined {
    const slip = SCHEMA_OF[keyOf(row)];
    const operation = this.operation(on, row);
    if (!operation) return undefined;
    if (status >= 400) return 'apiErrorEnvelope';
    return slip ? slip.schema : operation.responses[String(status)];
  }

  faults(name: string, value: unknown): string[] {
    return this.#schemas.faults(this.schema(name), value).map((fault) => `${name}: ${fault}`);
  }

  /** What the contract has against a body. */
  bodyFaults(row: RestRow, on: Interface, { status, body }: Answer): string[] {
    const name = this.schemaOf(on, row, status);
    return name === undefined ? [] : this.faults(name, body);
  }
}

/** Every part of a schema that declares members itself. */
function declaring(schema: ContractSchema): ContractSchema[] {
  return [schema, ...(schema.allOf ?? []).filter((part) => part.$ref === undefined)];
}

/** Members of a schema with those it inherits, each with the schema that declares it. */
export function membersOf(
  contract: PublishedContract,
  schema: ContractSchema,
): Map<string, ContractSchema> {
  const members = new Map<string, ContractSchema>();
  for (const part of schema.allOf ?? []) {
    const inherited = part.$ref === undefined ? part : contract.schema(part.$ref);
    for (const [name, member] of membersOf(contract, inherited)) members.set(name, member);
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) members.set(name, member);
  return members;
}

export function requiredOf(contract: PublishedContract, schema: ContractSchema): string[] {
  const inherited = (schema.allOf ?? []).flatMap((part) =>
    requiredOf(contract, part.$ref === undefined ? part : contract.schema(part.$ref)),
  );
  return [...inherited, ...(schema.required ?? [])];
}

/** Which members of the contract's schemas answers had, and which members it does not know. */
export class MemberCensus {
  readonly unknown = new Set<string>();
  /** What is wrong with members of a family as the kind that they are. */
  readonly faults = new Set<string>();
  readonly #seen = new Map<string, Set<string>>();

  constructor(private readonly contract: PublishedContract) {}

  count(name: string, value: unknown): void {
    this.visit(this.contract.schema(name), name, value);
  }

  /** Members that no answer had, as `schema.member`. */
  unseen(): string[] {
    return [...this.#seen].flatMap(([name, seen]) =>
      [...membersOf(this.contract, this.contract.schema(name)).keys()]
        .filter((member) => !seen.has(member))
        .map((member) => `${name}.${member}`),
    );
  }

  private visit(schema: ContractSchema, owner: string | undefined, value: unknown): void {
    if (schema.$ref !== undefined) {
      this.visit(this.contract.schema(schema.$ref), schema.$ref, value);
    } else if (Array.isArray(value)) {
      for (const item of value) if (schema.items) this.visit(schema.items, undefined, item);
    } else if (isObject(value)) {
      const { discriminator } = schema;
      const name =
        discriminator !== undefined && owner !== undefined
          ? this.contract.member(owner, discriminator, value)
          : owner;
      if (name !== undefined && name !== owner) {
        for (const fault of this.contract.faults(name, value)) this.faults.add(fault);
      }
      this.members(name === undefined ? schema : this.contract.schema(name), name, value);
    }
  }

  private members(schema: ContractSchema, owner: string | undefined, value: Row): void {
    const members = membersOf(this.contract, schema);
    if (members.size === 0) {
      if (isObject(schema.additionalProperties)) {
        for (const item of Object.values(value)) {
          this.visit(schema.additionalProperties, undefined, item);
        }
      }
      return;
    }
    const seen = owner === undefined ? new Set<string>() : (this.#seen.get(owner) ?? new Set());
    if (owner !== undefined) this.#seen.set(owner, seen);
    for (const [name, item] of Object.entries(value)) {
      const member = members.get(name);
      if (!member) this.unknown.add(`${owner ?? '?'}.${name}`);
      else {
        seen.add(name);
        this.visit(member, undefined, item);
      }
    }
  }
}
