import { nounWithArticle } from '../../base/names.js';
import { GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import {
  Field,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  type ClassType,
} from 'type-graphql';
import { DateTime } from '../../base/date-time.js';
import {
  attributesOf,
  descriptionOf,
  inputNameOf,
  isShown,
  isWritable,
  type Attribute,
  type AttributeType,
  type InputVerb,
  type Shape,
} from '../declare/attribute.js';
import { Node } from './node.js';
import { RestMember } from './rest-member.js';
import type { Resource } from '../declare/resource.js';

const enums = new Map<string, object>();
const outputs = new WeakMap<Shape, ClassType>();
const inputs = new Map<string, ClassType>();

/** A GraphQL enum whose names are the wire values. */
export function enumOf(
  name: string,
  meanings: Readonly<Record<string, string>>,
  description: string,
  /** Deprecated values with their deprecation reasons. */
  deprecated: Readonly<Record<string, string>> = {},
): object {
  const existing = enums.get(name);
  if (existing) return existing;
  const object = Object.fromEntries(Object.keys(meanings).map((value) => [value, value]));
  const valuesConfig = Object.fromEntries(
    Object.entries(meanings).map(([value, meaning]) => [
      value,
      { description: meaning, ...(deprecated[value] && { deprecationReason: deprecated[value] }) },
    ]),
  );
  registerEnumType(object, { name, description, valuesConfig });
  enums.set(name, object);
  return object;
}

/** Makes a class for a type that exists on the graph alone. */
export function emptyClass(name: string): ClassType {
  // eslint-disable-next-line @typescript-eslint/no-extraneous-class -- type-graphql wants a class
  return { [name]: class {} }[name] as ClassType;
}

type TypeThunk = () => ClassType;

/** Casts lists, scalars and classes: type-graphql does not export its own type for them. */
const thunk = (value: () => unknown): TypeThunk => value as TypeThunk;

/** The GraphQL types of kinds without options. */
const PLAIN: Partial<Record<AttributeType['kind'], () => unknown>> = {
  text: () => String,
  id: () => ID,
  bytes: () => String,
  int: () => Int,
  bool: () => Boolean,
  time: () => DateTime,
  map: () => GraphQLJSONObject,
  json: () => GraphQLJSON,
  set: () => [String],
  roles: () => [String],
  references: () => [ID],
  reference: () => ID,
};

/** The output type of an attribute. */
export function outputType(type: AttributeType, description = ''): TypeThunk {
  if (type.kind === 'enum') {
    const value = enumOf(type.name, type.meanings, type.description ?? description);
    return thunk(() => value);
  }
  if (type.kind === 'list') {
    const entry = outputType(type.of, description);
    return thunk(() => [entry()]);
  }
  if (type.kind === 'object' || type.kind === 'objects') {
    const nested = nestedOutput(type.of());
    return thunk(() => (type.kind === 'object' ? nested : [nested]));
  }
  return thunk(PLAIN[type.kind] ?? (() => String));
}

function nestedOutput(shape: Shape): ClassType {
  const existing = outputs.get(shape);
  if (existing) return existing;
  outputs.set(shape, shape as ClassType);
  return outputClass(shape as ClassType, shape.name, descriptionOf(shape), attributesOf(shape));
}

/** The object type of a resource. */
export const resourceClass = ({ shape, name, options, attributes }: Resource): ClassType =>
  outputClass(shape as ClassType, name, options.description, attributes.values(), Node);

/** Declares the object type of a class: plain properties, no resolver per field. */
function outputClass(
  target: ClassType,
  name: string,
  description: string,
  attributes: Iterable<Attribute>,
  node?: typeof Node,
): ClassType {
  ObjectType(name, { description, simpleResolvers: true, ...(node ? { implements: node } : {}) })(
    target,
  );
  for (const a of attributes) {
    if (!isShown(a)) continue;
    Field(outputType(a.type, a.description), {
      nullable: a.nullable ?? false,
      description: a.description,
    })(target.prototype, a.name);
    RestMember(a)(target.prototype, a.name);
  }
  return target;
}

/** The input type of one verb of a resource. */
export function inputClass(resource: Resource, verb: InputVerb): ClassType {
  const prefix = { create: 'Create', replace: 'Replace', update: 'Update' }[verb];
  const attributes = [...resource.attributes.values()].filter((a) => isWritable(a, verb));
  return inputFor(
    `${prefix}${resource.name}Input`,
    describeInput(resource, verb),
    attributes,
    verb,
  );
}

const describeInput = (resource: Resource, verb: InputVerb): string =>
  ({
    create: `The attributes of a new ${resource.label}.`,
    replace: `All attributes of ${nounWithArticle(resource.name)}; an absent one gets its default.`,
    update: `The attributes of ${nounWithArticle(resource.name)} to change; absent ones stay.`,
  })[verb];

function inputFor(
  name: string,
  description: string,
  attributes: readonly Attribute[],
  verb: InputVerb,
): ClassType {
  const existing = inputs.get(name);
  if (existing) return existing;
  const target = emptyClass(name);
  inputs.set(name, target);
  InputType(name, { description })(target);
  for (const a of attributes) {
    const required =
      verb !== 'update' && (a.required === true || (a.required === 'create' && verb === 'create'));
    Field(inputType(a.inputType ?? a.type, a.description, verb), {
      nullable: !required,
      description: a.description,
    })(target.prototype, inputNameOf(a));
  }
  return target;
}

function inputType(type: AttributeType, description: string, verb: InputVerb): TypeThunk {
  if (type.kind === 'object' || type.kind === 'objects') {
    const nested = nestedInput(type.of(), type.kind === 'object' ? verb : 'replace');
    return thunk(() => (type.kind === 'object' ? nested : [nested]));
  }
  return outputType(type, description);
}

/** Create and replace need the whole object and share one input; an update may send any member. */
function nestedInput(shape: Shape, verb: InputVerb): ClassType {
  const isPatch = verb === 'update';
  return inputFor(
    `${shape.name}${isPatch ? 'Patch' : 'Input'}`,
    isPatch ? 'The members to change; absent ones stay.' : 'Part of a larger input.',
    attributesOf(shape),
    isPatch ? 'update' : 'replace',
  );
}
