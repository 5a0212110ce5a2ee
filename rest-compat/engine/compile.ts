import { parse, validate, type GraphQLSchema } from 'graphql';
import type { CompiledOperation, Executor } from '../../src/graph/index.js';
import { checkInput, isOfOtherKind } from '../../src/kernel/write/check-input.js';
import {
  attributesOf,
  inputNameOf,
  type Attribute,
  type AttributeType,
} from '../../src/kernel/declare/attribute.js';
import { invalidField, type ApiError } from '../../src/base/errors.js';
import { paceOf, type Pace } from '../../src/kernel/graph/pace.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import { noObject } from './read-body.js';
import type { Body, RestRow } from './rest-row.js';
import { variableFault } from './variable-fault.js';
import { restInputs } from './view.js';

/** A row with its compiled document. */
export interface CompiledRow {
  readonly row: RestRow;
  readonly run: CompiledOperation;
  /** The pace of its operation. */
  readonly pace: Pace;
  /** The fault of variables that the document does not take. */
  readonly faultOf: (variables: JsonObject) => ApiError;
}

export function compileRow(row: RestRow, executor: Executor): CompiledRow {
  const document = parse(row.document, { noLocation: true });
  const { schema } = executor;
  return {
    row,
    run: executor.compile(document),
    pace: paceOf(schema, document),
    faultOf: (variables) => variableFault(schema, document, variables, row.fieldNames),
  };
}

/**
 * The faults of rows whose documents do not fit the graph. Checked when schemas are emitted, not at
 * every start.
 */
export const faultsOfRows = (rows: readonly RestRow[], schema: GraphQLSchema): string[] =>
  rows.flatMap((row) =>
    validate(schema, parse(row.document, { noLocation: true })).map(
      ({ message }) => `${row.method} ${row.path} asks what the graph has not: ${message}`,
    ),
  );

/** Converts a body to the input of the row's operation. */
export function bodyOf(declared: Body | undefined, body: unknown): unknown {
  if (declared?.kind === 'input') return inputOf(declared, body);
  if (declared?.kind === 'json' && (body ?? null) === null && declared.required) {
    throw invalidField('body', 'body is required', '');
  }
  return body;
}

/**
 * Gives the known members of a body. It checks their shape first, so that a fault gives the
 * documented field error and not the error of a GraphQL variable. Unknown members of later clients
 * are ignored at every depth, except in free maps. Null counts as not sent: generated clients send
 * it for absent members.
 */
function inputOf(declared: Body & { kind: 'input' }, body: unknown): JsonObject {
  if (!isObject(body)) throw noObject();
  const { resource, verb } = declared;
  const writable = restInputs(resource, verb).filter((a) => !isOfOtherKind(a, body));
  const input = knownMembers(writable, body);
  if (verb === 'update') {
    for (const a of writable) if (a.clearedByAbsence) input[inputNameOf(a)] ??= null;
  }
  checkInput(resource, verb, input);
  return input;
}

/** Nulls in nested declared objects also count as not sent; in free maps they are data. */
function knownMembers(attributes: readonly Attribute[], sent: JsonObject): JsonObject {
  const members: JsonObject = {};
  for (const a of attributes) {
    const name = inputNameOf(a);
    const value = sent[name];
    if (value !== undefined && value !== null)
      members[name] = knownIn(a.inputType ?? a.type, value);
  }
  return members;
}

/** Removes unknown members of nested values. A value of a wrong kind stays; the check refuses it. */
function knownIn(type: AttributeType, value: unknown): unknown {
  if (type.kind === 'object' && isObject(value))
    return knownMembers(attributesOf(type.of()), value);
  if (type.kind !== 'objects' || !Array.isArray(value)) return value;
  const members = attributesOf(type.of());
  return value.map((item: unknown) => (isObject(item) ? knownMembers(members, item) : item));
}
