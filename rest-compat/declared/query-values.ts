import {
  getNullableType,
  isEnumType,
  isListType,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql';
import { invalidField } from '../../src/base/errors.js';
import { instantOf } from '../../src/base/instant.js';
import type { Parameter, RestRequest } from '../../src/kernel/graph/rest-operation.js';
import { queryText } from '../engine/list-parameters.js';
import { inputTypeSchema, isRequired, MAX_INT } from './graph-schemas.js';

/** Reads arguments from the query of a request: converts texts to the type of the argument. */

export function queryValue(name: string, argument: GraphQLArgument, request: RestRequest): unknown {
  const type = getNullableType(argument.type);
  if (isListType(type)) {
    const values = request.query.get(name)?.flatMap((text) => text.split(','));
    return values?.map((text) => typedText(name, text, type.ofType));
  }
  const text = queryText(request, name);
  if (text !== undefined) return typedText(name, text, type);
  if (isRequired(argument)) {
    throw invalidField(name, `${name} in query is required`, '');
  }
  return undefined;
}

function typedText(name: string, text: string, of: GraphQLInputType): unknown {
  const type = getNullableType(of);
  if (isEnumType(type)) {
    const allowed = type.getValues().map((value) => value.name);
    return oneOf(allowed, name, text);
  }
  return READERS[String(type)]?.(name, text) ?? text;
}

type Reader = (name: string, text: string) => unknown;

/** The readers of types other than text. */
const READERS: Readonly<Record<string, Reader>> = {
  Int: (name, text) => {
    const isWhole = /^\d{1,10}$/.test(text) && Number(text) <= MAX_INT;
    if (!isWhole) throw invalidField(name, 'must be a whole number', text);
    return Number(text);
  },
  Boolean: (name, text) => oneOf(['true', 'false'], name, text) === 'true',
  DateTime: (name, text) => {
    if (Number.isNaN(instantOf(text).getTime())) {
      throw invalidField(name, 'must be a time as in RFC 3339', text);
    }
    return text;
  },
};

function oneOf(values: readonly string[], field: string, text: string): string {
  if (values.includes(text)) return text;
  throw invalidField(field, `should be one of [${values.join(' ')}]`, text);
}

export const queryParameter = (name: string, argument: GraphQLArgument): Parameter => ({
  name,
  in: 'query',
  description: argument.description ?? '',
  ...(isRequired(argument) ? { required: true } : {}),
  schema: inputTypeSchema(argument.type),
});
