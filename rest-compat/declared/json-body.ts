import { getNullableType, isNonNullType, type GraphQLArgument } from 'graphql';
import type { Schema } from '../../src/kernel/declare/rest-schema.js';
import type {
  ArgumentSource,
  OwnBody,
  RestOperation,
} from '../../src/kernel/graph/rest-operation.js';
import { bodyCheck, textOrMembers, type BodyCheck } from './check-body.js';
import { inputTypeSchema, isRequired, membersSchema } from './graph-schemas.js';

export type PlacedArgument = readonly [argument: GraphQLArgument, source: ArgumentSource];

/** The JSON body of arguments. */
export interface JsonBody {
  readonly body: OwnBody;
  readonly check: BodyCheck;
}

export function jsonBody(
  placed: readonly PlacedArgument[],
  { body, needs = [], isLenient: lenient }: RestOperation,
): JsonBody | undefined {
  if (body) return ownBody(body);
  const isLenient = lenient === true;
  for (const [argument, source] of placed) {
    const whole = wholeBody(argument, source, needs);
    if (!whole) continue;
    const required = isLenient ? hasRequired(whole) : isRequired(argument);
    // A source function checks the body itself.
    return bodyFrom(
      whole,
      required,
      source === 'body' ? bodyCheck(whole, isLenient) : (sent) => sent,
    );
  }
  const members = placed.flatMap(([argument, source]) => memberOf(argument, source));
  if (members.length === 0) return undefined;
  const schema = membersSchema(members, needs);
  return bodyFrom(schema, hasRequired(schema), bodyCheck(schema, isLenient));
}

/** A body that the operation declares itself. */
function ownBody(body: OwnBody): JsonBody | undefined {
  if (body.kind === 'text') return undefined;
  const check = body.kind === 'any' ? textOrMembers(body.schema) : bodyCheck(body.schema, false);
  return { body, check };
}

const hasRequired = ({ required }: Schema): boolean => required !== undefined;

const bodyFrom = (schema: Schema, required: boolean, check: BodyCheck): JsonBody => ({
  body: { kind: 'json', schema: required ? schema : { ...schema, nullable: true }, required },
  check,
});

/** The schema of the whole body, if one argument gets all of it. */
function wholeBody(
  { type: declared }: GraphQLArgument,
  source: ArgumentSource,
  needs: readonly string[],
): Schema | undefined {
  const isRead = typeof source === 'object' && 'body' in source;
  if (source !== 'body' && !isRead) return undefined;
  const type = getNullableType(declared);
  const schema = inputTypeSchema(type, needs);
  return isRead && source.isEntry ? (schema.items as Schema) : schema;
}

function memberOf(argument: GraphQLArgument, source: ArgumentSource): GraphQLArgument[] {
  if (typeof source !== 'object') return [];
  if ('member' in source) return [{ ...argument, name: source.member }];
  return 'memberOrHeader' in source ? [optional(argument)] : [];
}

const optional = (argument: GraphQLArgument): GraphQLArgument => ({
  ...argument,
  type: isNonNullType(argument.type) ? argument.type.ofType : argument.type,
});
