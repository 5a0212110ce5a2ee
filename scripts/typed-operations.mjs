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
  Kind,
  NoUnusedFragmentsRule,
  parse,
  print,
  Source,
  specifiedRules,
  stripIgnoredCharacters,
  validate,
  visit,
} from 'graphql';
import { withDirective, withEveryMember } from './every-member.mjs';
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
  const extended = withDirective(schema);
  const written = concatAST(sources.map((source) => parse(source)));
  const faults = validate(extended, written, RULES);
  if (faults.length > 0) throw new Error(faults.map(String).join('\n\n'));
  const document = withEveryMember(extended, written);
  const types = await codegen({
    filename: 'operations.ts',
    schemaAst: schema,
    documents: [{ document }],
    config: TYPES,
    pluginMap: { operationTypes },
    plugins: [{ operationTypes: {} }],
    skipDocumentsValidation: true,
  });
  const constants = withoutFragments(document).map((operation) => {
    const name = operation.name.value;
    const text = JSON.stringify(stripIgnoredCharacters(print(operation)));
    return `export const ${name}: Operation<${name}Result, ${name}Variables> = { name: '${name}', text: ${text} };\n`;
  });
  return [OPERATION, types, ...constants].join('\n');
}

/** Gives the operations with the fragments in their places: a large body may hold nothing but one operation. */
function withoutFragments({ definitions }) {
  const fragments = new Map(
    definitions
      .filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  const FragmentSpread = ({ name, directives }) => {
    const { typeCondition, selectionSet } = fragments.get(name.value);
    return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet };
  };
  return definitions
    .filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    .map((operation) => visit(operation, { FragmentSpread }));
}
