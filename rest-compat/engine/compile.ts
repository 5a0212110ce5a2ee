import { parse, validate, type GraphQLSchema } from 'graphql';
import type { CompiledOperation, Executor } from '../../src/graph/index.js';
import { checkInput, isOfOtherKind } from '../../src/kernel/write/check-input.js';
import {
  attributesOf,
  inputNameOf,
  type Attribute,
  type AttributeType,
} from '../../src/kernel/declare/attribute.js';
import { failure, invalidField } from '../../src/base/errors.js';
import { paceOf, type Pace } from '../../src/kernel/graph/pace.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import type { Body, RestRow } from './rest-row.js';
import { restInputs } from './view.js';

/** A row ready to run. */
export interface CompiledRow {
  readonly row: RestRow;
  readonly run: CompiledOperation;
  /** That of its operation. */
  readonly pace: Pace;
}

export function compileRow(row: RestRow, executor: Executor): CompiledRow {
  const document = parse(row.document, { noLocation: true });
  return { row, run: executor.compile(document), pace: paceOf(executor.schema, document) };
}

/** Of rows whose operations do not fit the graph. Looked at with the schemas, not at every start. */
export const faultsOfRows = (rows: readonly RestRow[], schema: GraphQLSchema): string[] =>
  rows.flatMap((row) =>
    validate(schema, parse(row.document, { noLocation: true })).map(
      ({ message }) => `${row.method} ${row.path} asks what the graph has not: ${message}`,
    ),
  );

/** The body as the row's operation takes it. */
export function bodyOf(declared: Body | undefined, body: unknown): unknown {
  if (declared?.kind === 'input') return inputOf(declared, body);
  if (declared?.kind === 'json' && body === undefined && declared.required) {
    throw invalidField('body', 'body is required', '');
  }
  return body;
}

/**
 * The members that the resource knows, checked for shape first: a fault is answered with the
 * documented field error and never as a fault of a GraphQL variable. Unknown members are dropped at
 * every depth but in free maps, as clients of later releases send more. Generated clients send null
 * for what they leave out of a PATCH, and for optional members elsewhere.
 */
function inputOf(declared: Body & { kind: 'input' }, body: unknown): JsonObject {
  if (!isObject(body)) throw failure('COULD_NOT_VALIDATE', 'the body must be a JSON object');
  const { resource, verb } = declared;
  const writable = restInputs(resource, verb).filter((a) => !isOfOtherKind(a, body));
  const input = knownMembers(writable, body);
  if (verb === 'update') {
    for (const a of writable) if (a.clearedByAbsence) input[inputNameOf(a)] ??= null;
  }
  checkInput(resource, verb, input);
  return input;
}

/** Nulls inside declared objects are "not sent" as well; inside free maps they are data. */
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

/** A value that is not of its declared kind stays as it is; the check of shapes refuses it. */
function knownIn(type: AttributeType, value: unknown): unknown {
  if (type.kind === 'object' && isObject(value))
    return knownMembers(attributesOf(type.of()), value);
  if (type.kind !== 'objects' || !Array.isArray(value)) return value;
  const members = attributesOf(type.of());
  return value.map((item: unknown) => (isObject(item) ? knownMembers(members, item) : item));
}
