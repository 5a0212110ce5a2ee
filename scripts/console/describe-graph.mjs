/**
 * Describes the graph for the pages that are derived from it: kinds of entities with their
 * operations and with what the controller keeps of them, the fields of types and inputs, enums, and
 * the permission of each operation.
 */
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';

export function describeGraph(schema, permissions, keptEntities) {
  const kinds = kindsOf(schema, keptEntities);
  const types = new Set();
  const inputs = new Set();
  for (const { type, createInput, updateInput } of Object.values(kinds)) {
    collect(schema.getType(type), types, inputs);
    for (const input of [createInput, updateInput]) {
      if (input) collect(schema.getType(input), types, inputs);
    }
  }
  for (const type of Object.values(schema.getTypeMap())) {
    if (isEnumType(type) && !NOT_SHOWN.test(type.name)) types.add(type);
  }
  const named = (set, filter) =>
    Object.fromEntries([...set].filter(filter).map((type) => [type.name, type]));
  const all = new Set([...types, ...inputs]);
  return {
    kinds,
    types: mapValues(named(all, isObjectType), describeFields),
    inputs: mapValues(named(all, isInputObjectType), describeFields),
    enums: mapValues(named(all, isEnumType), (type) =>
      Object.fromEntries(type.getValues().map((value) => [value.name, value.description ?? ''])),
    ),
    permissions,
  };
}

/** Enums of the schema language itself, and the names of columns, which each kind has beside it. */
const NOT_SHOWN = /^__|OrderField$/;

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

/** A kind is a type with a list that has filters, and a query for one entity. */
function kindsOf(schema, keptEntities) {
  const queries = schema.getQueryType().getFields();
  const mutations = schema.getMutationType().getFields();
  const drafted = schema.getType('ModelType');
  const kinds = {};
  for (const [list, field] of Object.entries(queries)) {
    const nodes = nodesOf(field.type);
    if (!nodes || !hasArgument(field, 'filter') || !hasArgument(field, 'orderBy')) continue;
    const one = queries[inGraph(nodes.name)];
    if (!one || !hasArgument(one, 'id')) continue;
    const operation = (verb, member = '') => {
      const name = `${verb}${nodes.name}${member}`;
      return name in mutations ? name : undefined;
    };
    const inputOf = (name) =>
      name && getNamedType(mutations[name].args.find((arg) => arg.name === 'input')?.type)?.name;
    const [create, update, remove] = ['create', 'update', 'delete'].map((verb) => operation(verb));
    kinds[nodes.name] = {
      type: nodes.name,
      description: field.description ?? '',
      list,
      one: one.name,
      create,
      update,
      remove,
      createInput: inputOf(create),
      updateInput: inputOf(update),
      addRoleAttributes: operation('add', 'RoleAttributes'),
      removeRoleAttributes: operation('remove', 'RoleAttributes'),
      ...(drafted.getValue(inGraph(nodes.name)) ? { isDrafted: true } : {}),
      ...(nodes.name in keptEntities ? { keptWith: keptEntities[nodes.name] } : {}),
      ...orderOf(field),
      where: whereOf(field),
    };
  }
  return kinds;
}

/** `ServicePolicy` -> `servicePolicy`. */
const inGraph = (type) => type.charAt(0).toLowerCase() + type.slice(1);

const hasArgument = (field, name) => field.args.some((arg) => arg.name === name);

/** Gives the type of the entities of a connection. */
function nodesOf(type) {
  const connection = getNamedType(type);
  if (!isObjectType(connection) || !connection.name.endsWith('Connection')) return undefined;
  return getNamedType(connection.getFields().nodes?.type);
}

function orderOf(field) {
  const input = getNamedType(field.args.find((arg) => arg.name === 'orderBy').type);
  const fields = getNamedType(input.getFields().field.type).getValues();
  return { orderInput: input.name, orderFields: fields.map(({ name }) => name) };
}

/** Gives the names by which a list can be filtered. */
function whereOf(field) {
  const input = getNamedType(field.args.find((arg) => arg.name === 'where')?.type);
  if (!input) return [];
  return Object.keys(input.getFields()).filter((name) => !['and', 'or', 'not'].includes(name));
}

/** Adds a type with the types of its fields; lists of entities stay names. */
function collect(type, types, inputs) {
  if (!type || types.has(type) || inputs.has(type)) return;
  if (isEnumType(type)) types.add(type);
  if (isInputObjectType(type)) {
    inputs.add(type);
    for (const field of Object.values(type.getFields())) {
      collect(getNamedType(field.type), types, inputs);
    }
  }
  if (!isObjectType(type)) return;
  types.add(type);
  for (const field of Object.values(type.getFields())) {
    const nodes = nodesOf(field.type);
    collect(nodes ?? getNamedType(field.type), types, inputs);
  }
}

/** Gives for each field its type, its description, and the names of its arguments. */
function describeFields(type) {
  return mapValues(type.getFields(), (field) => {
    const nodes = nodesOf(field.type)?.name;
    return {
      type: String(field.type),
      description: field.description ?? '',
      ...(nodes ? { nodes } : {}),
      ...(isRequiredArgument(field) ? { needsArguments: true } : {}),
      ...((field.args ?? []).length > 0 ? { arguments: field.args.map(({ name }) => name) } : {}),
      ...(isAbstract(field.type) ? { isAbstract: true } : {}),
    };
  });
}

const isRequiredArgument = ({ args = [] }) =>
  args.some((arg) => getNullableType(arg.type) !== arg.type && arg.defaultValue === undefined);

const isAbstract = (type) => isInterfaceType(getNamedType(type));
