/** Makes typed constants of the operations in the `.graphql` files below a folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isScalarType,
  Kind,
  NoUnusedFragmentsRule,
  parse,
  print,
  Source,
  specifiedRules,
  typeFromAST,
  validate,
} from 'graphql';

const SCALARS = {
  Boolean: 'boolean',
  DateTime: 'string',
  Float: 'number',
  ID: 'string',
  Int: 'number',
  JSON: 'unknown',
  JSONObject: 'Record<string, unknown>',
  String: 'string',
};

/** A fragment may stand for values that are read by the description of the schema alone. */
const RULES = specifiedRules.filter((rule) => rule !== NoUnusedFragmentsRule);

const ROOTS = {
  query: 'getQueryType',
  mutation: 'getMutationType',
  subscription: 'getSubscriptionType',
};

/** Gives the text of a module; throws when a document does not fit the schema. */
export function typedOperations(schema, folder) {
  const documents = readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.graphql'))
    .sort()
    .map((path) =>
      parse(new Source(readFileSync(join(folder, path), 'utf8'), `console/src/${path}`)),
    );
  const definitions = documents.flatMap((document) => document.definitions);
  const faults = validate(schema, { kind: Kind.DOCUMENT, definitions }, RULES);
  if (faults.length > 0) throw new Error(faults.map(String).join('\n\n'));
  const fragments = new Map(
    definitions
      .filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION)
      .map((each) => [each.name.value, each]),
  );
  const types = Object.assign(new Map(), { schema });
  const operations = definitions
    .filter(({ kind }) => kind === Kind.OPERATION_DEFINITION)
    .map((each) => operationText(schema, each, fragments, types));
  const fragmentTypes = [...fragments].map(([name, { typeCondition, selectionSet }]) => {
    const type = schema.getType(typeCondition.name.value);
    return `export type ${name}Fragment = ${objectType(type, [selectionSet], fragments, types)};\n`;
  });
  return [
    "import type { Operation } from '../graph/operation.js';\n",
    // Enums and inputs, by their first use.
    ...types.values(),
    ...fragmentTypes,
    ...operations,
  ].join('\n');
}

function operationText(schema, operation, fragments, types) {
  const name = operation.name.value;
  const root = schema[ROOTS[operation.operation]]();
  const result = objectType(root, [operation.selectionSet], fragments, types);
  const variables = operation.variableDefinitions.map((each) => {
    const type = typeFromAST(schema, each.type);
    const optional = !isNonNullType(type) || each.defaultValue !== undefined;
    return `readonly ${each.variable.name.value}${optional ? '?' : ''}: ${inputType(type, types)}${optional ? ' | undefined' : ''};`;
  });
  const used = usedFragments(operation, fragments, new Set());
  const text = [operation, ...[...used].map((each) => fragments.get(each))].map(print).join('\n');
  return [
    `export type ${name}Result = ${result};`,
    `export type ${name}Variables = { ${variables.join(' ')} };`,
    `export const ${name}: Operation<${name}Result, ${name}Variables> = { name: '${name}', text: ${JSON.stringify(text)} };\n`,
  ].join('\n');
}

function usedFragments(node, fragments, used) {
  for (const selection of node.selectionSet?.selections ?? []) {
    if (selection.kind === Kind.FRAGMENT_SPREAD && !used.has(selection.name.value)) {
      used.add(selection.name.value);
      usedFragments(fragments.get(selection.name.value), fragments, used);
    }
    usedFragments(selection, fragments, used);
  }
  return used;
}

/** Members of fragments on other types than the parent's may be absent. */
function objectType(type, selectionSets, fragments, types) {
  const members = new Map();
  const add = (selectionSet, parent, optional) => {
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        const member = members.get(key) ?? {
          parent,
          field: selection.name.value,
          sets: [],
          optional: optional || isConditional(selection),
        };
        if (selection.selectionSet) member.sets.push(selection.selectionSet);
        member.optional &&= optional || isConditional(selection);
        members.set(key, member);
        continue;
      }
      const fragment =
        selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      const on = fragment.typeCondition?.name.value ?? parent.name;
      const narrowed = on === parent.name ? parent : types.schema.getType(on);
      add(fragment.selectionSet, narrowed, optional || on !== type.name);
    }
  };
  add(selectionSets[0], type, false);
  for (const set of selectionSets.slice(1)) add(set, type, false);
  const lines = [...members].map(([key, { parent, field, sets, optional }]) => {
    if (field === '__typename') return `readonly ${key}: string;`;
    const output = outputType(parent.getFields()[field].type, sets, fragments, types);
    return `readonly ${key}${optional ? '?' : ''}: ${output};`;
  });
  return `{ ${lines.join(' ')} }`;
}

/** `@include` and `@skip` leave a member out. */
const isConditional = ({ directives = [] }) =>
  directives.some(({ name }) => ['include', 'skip'].includes(name.value));

function outputType(type, sets, fragments, types) {
  if (isNonNullType(type)) return plainOutput(type.ofType, sets, fragments, types);
  return `${plainOutput(type, sets, fragments, types)} | null`;
}

function plainOutput(type, sets, fragments, types) {
  if (isListType(type)) return `readonly (${outputType(type.ofType, sets, fragments, types)})[]`;
  if (isScalarType(type) || isEnumType(type)) return leafType(type, types);
  return objectType(getNamedType(type), sets, fragments, types);
}

function leafType(type, types) {
  if (isScalarType(type)) return SCALARS[type.name];
  if (!types.has(type.name)) {
    const values = type.getValues().map(({ name }) => `'${name}'`);
    types.set(type.name, `export type ${type.name} = ${values.join(' | ')};\n`);
  }
  return type.name;
}

function inputType(type, types) {
  if (isNonNullType(type)) return plainInput(type.ofType, types);
  return `${plainInput(type, types)} | null`;
}

function plainInput(type, types) {
  if (isListType(type)) return `readonly (${inputType(type.ofType, types)})[]`;
  if (!isInputObjectType(type)) return leafType(type, types);
  if (!types.has(type.name)) {
    types.set(type.name, '');
    const members = Object.values(type.getFields()).map((field) => {
      const required = isNonNullType(field.type) && field.defaultValue === undefined;
      return `readonly ${field.name}${required ? '' : '?'}: ${inputType(field.type, types)}${required ? '' : ' | undefined'};`;
    });
    types.set(type.name, `export type ${type.name} = { ${members.join(' ')} };\n`);
  }
  return type.name;
}
