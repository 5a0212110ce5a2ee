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
import type { Resource } from '../declare/resource.js';

const enums = new Map<string, object>();
const outputs = new WeakMap<Shape, ClassType>();
const inputs = new Map<string, ClassType>();

/** A GraphQL enum whose names are the wire values. */
export function enumOf(
  name: string,
  meanings: Readonly<Record<string, string>>,
  description: string,
  /** Values that others have replaced, with what to say of them. */
  deprecated: Readonly<Record<string, string>> = {},
): object {
  const known = enums.get(name);
  if (known) return known;
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

/** A fresh class for a type that exists on the graph alone. */
export function emptyClass(name: string): ClassType {
  // eslint-disable-next-line @typescript-eslint/no-extraneous-class -- type-graphql wants a class
  return { [name]: class {} }[name] as ClassType;
}

type TypeThunk = () => ClassType;

/** Lists, scalars and classes alike: type-graphql's own type for them is not exported. */
const thunk = (value: () => unknown): TypeThunk => value as TypeThunk;

/** Kinds whose GraphQL type does not depend on more than the kind. */
const PLAIN: Partial<Record<AttributeType['kind'], () => unknown>> = {
  text: () => String,
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
  if (type.kind === 'object' || type.kind === 'objects') {
    const nested = nestedOutput(type.of());
    return thunk(() => (type.kind === 'object' ? nested : [nested]));
  }
  return thunk(PLAIN[type.kind] ?? (() => String));
}

function nestedOutput(shape: Shape): ClassType {
  const known = outputs.get(shape);
  if (known) return known;
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
    create: `What a new ${resource.label} is made of.`,
    replace: `All attributes of a ${resource.label}; what is left out gets its default.`,
    update: `The attributes of a ${resource.label} to change; what is left out stays.`,
  })[verb];

function inputFor(
  name: string,
  description: string,
  attributes: readonly Attribute[],
  verb: InputVerb,
): ClassType {
  const known = inputs.get(name);
  if (known) return known;
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

/** Create and replace need the whole object, so they share one input; update takes any part of it. */
function nestedInput(shape: Shape, verb: InputVerb): ClassType {
  const partial = verb === 'update';
  return inputFor(
    `${shape.name}${partial ? 'Patch' : 'Input'}`,
    partial ? 'The members to change; what is left out stays.' : 'Part of a larger input.',
    attributesOf(shape),
    partial ? 'update' : 'replace',
  );
}
