import { parse, validate, type GraphQLSchema } from 'graphql';
import type { CompiledOperation, Executor } from '../src/graph/index.js';
import { checkInput, isOfOtherKind } from '../src/kernel/check-input.js';
import { inputNameOf, isWritable } from '../src/kernel/attribute.js';
import { failure, invalidField } from '../src/kernel/errors.js';
import { paceOf, type Pace } from '../src/kernel/pace.js';
import { isObject, type Row } from '../src/kernel/row.js';
import type { Body, RestRow } from './row.js';

/** A row ready to run. */
export interface CompiledRow {
  readonly row: RestRow;
  readonly run: CompiledOperation;
  /** That of its operation. */
  readonly pace: Pace;
}

/** A row whose operation does not fit the graph fails the start. */
export function compileRow(row: RestRow, executor: Executor): CompiledRow {
  const document = parse(row.document, { noLocation: true });
  refuseUnfit(row, executor.schema, document);
  return { row, run: executor.compile(document), pace: paceOf(executor.schema, document) };
}

function refuseUnfit(
  row: RestRow,
  schema: GraphQLSchema,
  document: ReturnType<typeof parse>,
): void {
  const [fault] = validate(schema, document);
  if (fault)
    throw new Error(`${row.method} ${row.path} asks what the graph has not: ${fault.message}`);
}

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
 * documented field error and never as a fault of a GraphQL variable. Generated clients send null for
 * what they leave out of a PATCH, and for optional members elsewhere.
 */
function inputOf(declared: Body & { kind: 'input' }, body: unknown): Row {
  if (!isObject(body)) throw failure('COULD_NOT_VALIDATE', 'the body must be a JSON object');
  const { resource, verb } = declared;
  const input: Row = {};
  for (const a of resource.attributes.values()) {
    const name = inputNameOf(a);
    const value = body[name];
    if (value === undefined || value === null || isOfOtherKind(a, body)) continue;
    if (isWritable(a, verb)) {
      input[name] =
        a.inputType || !isObject(value) ? value : withoutNulls(a.type.kind, value, verb);
    }
  }
  checkInput(resource, verb, input);
  return input;
}

/** Nulls inside declared objects are "not sent" as well; inside free maps they are data. */
function withoutNulls(kind: string, value: Row, verb: string): Row {
  if (kind !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, v]) => v !== null)
      .map(([k, v]) => [k, isObject(v) ? withoutNulls(kind, v, verb) : v]),
  );
}
