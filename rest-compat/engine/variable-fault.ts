import {
  coerceInputValue,
  isNonNullType,
  Kind,
  typeFromAST,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type VariableDefinitionNode,
} from 'graphql';
import { failure, invalidField, type ApiError } from '../../src/base/errors.js';
import type { JsonObject } from '../../src/base/row.js';
import type { FieldNames } from './rest-row.js';

/*
 * The graph refuses values of variables with its own sentences, which name variables and types that
 * clients of REST do not know. The checks of parameters and bodies come first and know the words of
 * REST; this is for values that only the graph refuses.
 */

/** The variable of the documents of resources whose value is the whole body. */
const WHOLE_BODY: FieldNames = { input: '' };

/** Gives the first value that a document does not take, as the error of a field. */
export function variableFault(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: JsonObject,
  names: FieldNames = WHOLE_BODY,
): ApiError {
  for (const definition of definitionsOf(document)) {
    const name = definition.variable.name.value;
    const fault = faultOf(schema, definition, variables[name]);
    if (!fault) continue;
    const field = [names[name] ?? name, ...fault.path].filter((step) => step !== '').join('.');
    return invalidField(field || 'body', fault.reason, fault.value);
  }
  return failure('COULD_NOT_VALIDATE', 'a value is not of its declared type');
}

const definitionsOf = ({ definitions }: DocumentNode): readonly VariableDefinitionNode[] =>
  definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? (definition.variableDefinitions ?? []) : [],
  );

interface VariableFault {
  readonly path: readonly (string | number)[];
  readonly reason: string;
  readonly value: unknown;
}

function faultOf(
  schema: GraphQLSchema,
  { type: declared, defaultValue }: VariableDefinitionNode,
  value: unknown,
): VariableFault | undefined {
  const type = typeFromAST(schema, declared) as GraphQLInputType;
  if (value === undefined) {
    const isMissing = isNonNullType(type) && !defaultValue;
    return isMissing ? { path: [], reason: 'is required', value: '' } : undefined;
  }
  let first: VariableFault | undefined;
  coerceInputValue(value, type, (path, refused) => {
    first ??= { path, reason: 'must be a value of the declared type', value: refused };
  });
  return first;
}
