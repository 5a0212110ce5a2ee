/**
 * Types the operations in the `.graphql` files of a program. Their texts stay texts, so that no program
 * reads GraphQL when it runs.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as operationTypes from '@graphql-codegen/typescript-operations';
import {
  buildSchema,
  concatAST,
  NoUnusedFragmentsRule,
  parse,
  print,
  separateOperations,
  Source,
  specifiedRules,
  validate,
} from 'graphql';
import { root } from './run.mjs';

/** The types of values in JSON. */
const SCALARS = {
  DateTime: 'string',
  ID: 'string',
  JSON: 'unknown',
  JSONObject: 'Record<string, unknown>',
};

const TYPES = {
  scalars: SCALARS,
  strictScalars: true,
  immutableTypes: true,
  arrayInputCoercion: false,
  namingConvention: 'keep',
  omitOperationSuffix: true,
  operationResultSuffix: 'Result',
  skipTypename: true,
  inlineFragmentTypes: 'inline',
  disableDescriptions: true,
};

const OPERATION = `/** A document of the graph with the types of its variables and its result. */
export interface Operation<Result, Variables> {
  readonly name: string;
  readonly text: string;
  /** Never set: it carries the types. */
  readonly types?: (variables: Variables) => Result;
}
`;

/** A fragment may stand for values that are read by the description of the schema alone. */
const RULES = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);

/** Writes `emitted/operations.ts` of a folder with `.graphql` files; throws when one does not fit the schema. */
export async function writeOperations(folder) {
  const schema = buildSchema(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));
  const sources = readdirSync(join(root, folder), { recursive: true })
    .filter((path) => path.endsWith('.graphql'))
    .sort()
    .map((path) => join(folder, path))
    .map((path) => new Source(readFileSync(join(root, path), 'utf8'), path));
  const output = join(root, folder, 'emitted');
  const text = await typedOperations(schema, sources);
  mkdirSync(output, { recursive: true });
  writeFileSync(join(output, 'operations.ts'), text);
}

/** Gives the text of a module: a type for each fragment, and a constant with its types for each operation. */
export async function typedOperations(schema, sources) {
  const document = concatAST(sources.map((source) => parse(source)));
  const faults = validate(schema, document, RULES);
  if (faults.length > 0) throw new Error(faults.map(String).join('\n\n'));
  const types = await codegen({
    filename: 'operations.ts',
    schemaAst: schema,
    documents: [{ document }],
    config: TYPES,
    pluginMap: { operationTypes },
    plugins: [{ operationTypes: {} }],
    skipDocumentsValidation: true,
  });
  const constants = Object.entries(separateOperations(document)).map(
    ([name, operation]) =>
      `export const ${name}: Operation<${name}Result, ${name}Variables> = { name: '${name}', text: ${JSON.stringify(print(operation))} };\n`,
  );
  return [OPERATION, types, ...constants].join('\n');
}
