import {
  getNullableType,
  isEnumType,
  isListType,
  type GraphQLArgument,
  type GraphQLInputType,
} from 'graphql';
import { invalidField } from '../../src/base/errors.js';
import type { Parameter, RestRequest } from '../../src/kernel/graph/rest-operation.js';
import { queryText } from '../engine/list-parameters.js';
import { inputTypeSchema, isRequired } from './graph-schemas.js';

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
  const allowed = isEnumType(type) ? type.getValues().map((value) => value.name) : undefined;
  if (allowed) {
    oneOf(allowed, name, text);
  } else if (String(type) === 'Int') {
    if (!/^\d{1,9}$/.test(text)) throw invalidField(name, 'must be a whole number', text);
    return Number(text);
  } else if (String(type) === 'Boolean') {
    oneOf(['true', 'false'], name, text);
    return text === 'true';
  }
  return text;
}

function oneOf(values: readonly string[], field: string, text: string): void {
  if (!values.includes(text)) {
    throw invalidField(field, `should be one of [${values.join(' ')}]`, text);
  }
}

export const queryParameter = (name: string, argument: GraphQLArgument): Parameter => ({
  name,
  in: 'query',
  description: argument.description ?? '',
  ...(isRequired(argument) ? { required: true } : {}),
  schema: inputTypeSchema(argument.type),
});
