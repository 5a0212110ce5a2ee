import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { isObject, type JsonObject } from '../../src/base/row.js';
import { listOf, objectOf, type Schema } from '../../src/kernel/declare/rest-schema.js';
import { restFormOf, restMemberOf } from '../../src/kernel/graph/rest-member.js';
import { isEmpty } from '../engine/view.js';
import { leafSchema, selectedSchema } from './graph-schemas.js';

/**
 * A value of the graph as REST bodies show it: with all members of its type, nested objects
 * included, but without other entities and without fields whose arguments the operation does not
 * have.
 */
export interface WholeBody {
  /** Empty for a value without members. */
  readonly selection: string;
  readonly schema: Schema;
  /** Absent where the body is the value that the document selects. */
  readonly view?: View | undefined;
}

type View = (value: unknown) => unknown;

export interface BodyContext {
  readonly isEntity: (type: string) => boolean;
  /** The names of the operation's selection arguments. */
  readonly variables: readonly string[];
}

/** @param without names of members that the object omits */
export function wholeBody(
  type: GraphQLOutputType,
  context: BodyContext,
  without: readonly string[] = [],
): WholeBody {
  const inner = getNullableType(type);
  if (isListType(inner)) return bodyOfList(wholeBody(inner.ofType, context, without));
  if (!isObjectType(inner)) return { selection: '', schema: leafSchema(inner) };
  const form = restFormOf(inner);
  const fields = fieldsOf(inner).filter(({ name }) => !without.includes(name));
  const body = bodyOfMembers(fields.flatMap((field) => memberOf(field, context) ?? []));
  if (!form) return body;
  const { view = unchanged } = body;
  return {
    selection: body.selection,
    schema: form.schema(body.schema),
    view: (value) => (isObject(value) ? form.view(view(value) as JsonObject) : value),
  };
}

const unchanged = (value: unknown): unknown => value;

function bodyOfList({ selection, schema, view }: WholeBody): WholeBody {
  const viewOfList = view && ((list: unknown) => (Array.isArray(list) ? list.map(view) : list));
  return { selection, schema: listOf(schema), view: viewOfList };
}

type Field = GraphQLField<unknown, unknown>;

/** The members of a page that bodies show, if the type is one: its entries and their total. */
function pageFields(type: GraphQLObjectType): readonly [Field, Field] | undefined {
  const { totalCount, nodes, pagination } = type.getFields();
  return totalCount && nodes && pagination ? [totalCount, nodes] : undefined;
}

const fieldsOf = (type: GraphQLObjectType): readonly Field[] =>
  pageFields(type) ?? Object.values(type.getFields());

interface Member {
  /** Its name in the selected value. */
  readonly key: string;
  /** Its place in the body. */
  readonly path: readonly string[];
  readonly selection: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly omitsEmpty: boolean;
  readonly view: View | undefined;
}

function memberOf(field: Field, context: BodyContext): Member | undefined {
  if (!isInBody(field, context)) return undefined;
  const { restName = field.name, omitEmpty = false, onlyWith } = restMemberOf(field);
  const { selection, schema, view } = memberBody(field, context);
  const path = restName.split('.');
  const key = path.length > 1 ? field.name : restName;
  return {
    key,
    path,
    selection: selectionOf(field, key, selection, context),
    schema: isNonNullType(field.type) || omitEmpty ? schema : { ...schema, nullable: true },
    isRequired: !omitEmpty && onlyWith === undefined,
    omitsEmpty: omitEmpty,
    view,
  };
}

function memberBody({ type, extensions }: Field, context: BodyContext): WholeBody {
  const { select, restWithout } = restMemberOf({ extensions });
  return select === undefined
    ? wholeBody(type, context, restWithout)
    : { selection: select, schema: selectedSchema(type, select) };
}

function selectionOf(field: Field, key: string, inner: string, context: BodyContext): string {
  const { onlyWith } = restMemberOf(field);
  return [
    key === field.name ? key : `${key}: ${field.name}`,
    argumentsOf(field, context),
    onlyWith === undefined ? '' : ` @include(if: $${onlyWith})`,
    inner === '' ? '' : ` { ${inner} }`,
  ].join('');
}

function isInBody(field: Field, context: BodyContext): boolean {
  const { graphOnly = false, onlyWith, keepsDefaults, select } = restMemberOf(field);
  if (graphOnly || (onlyWith !== undefined && !context.variables.includes(onlyWith))) return false;
  const isAsked = field.args.length === 0 || keepsDefaults === true;
  if (!isAsked && argumentsOf(field, context) === '') return false;
  return select !== undefined || !isOfEntities(getNamedType(field.type), context);
}

/** Whether it is an entity, one of several kinds, or a page of them. */
function isOfEntities(type: GraphQLNamedType, context: BodyContext): boolean {
  if (!isObjectType(type)) return isCompositeType(type);
  const nodes = pageFields(type)?.[1];
  return context.isEntity((nodes ? getNamedType(nodes.type) : type).name);
}

function argumentsOf({ args, extensions }: Field, { variables }: BodyContext): string {
  if (restMemberOf({ extensions }).keepsDefaults) return '';
  const names = args.flatMap(({ name }) => (variables.includes(name) ? [`${name}: $${name}`] : []));
  return names.length === 0 ? '' : `(${names.join(', ')})`;
}

function bodyOfMembers(members: readonly Member[]): WholeBody {
  const isSelected = members.every(
    ({ path, omitsEmpty, view }) => path.length === 1 && !omitsEmpty && !view,
  );
  return {
    selection: members.map(({ selection }) => selection).join(' '),
    schema: schemaOfMembers(members),
    ...(isSelected ? {} : { view: (value) => (isObject(value) ? shown(value, members) : value) }),
  };
}

function shown(value: JsonObject, members: readonly Member[]): JsonObject {
  const body: JsonObject = {};
  for (const { key, path, omitsEmpty, view = unchanged } of members) {
    const member = view(value[key]);
    if (member !== undefined && !(omitsEmpty && isEmpty(member))) setAt(body, path, member);
  }
  return body;
}

function setAt(body: JsonObject, [name = '', ...inner]: readonly string[], value: unknown): void {
  if (inner.length === 0) body[name] = value;
  else setAt((body[name] ??= {}) as JsonObject, inner, value);
}

function schemaOfMembers(members: readonly Member[]): Schema {
  const names = [...new Set(members.flatMap(({ path }) => path.slice(0, 1)))];
  const required = new Set(members.filter((m) => m.isRequired).flatMap((m) => m.path.slice(0, 1)));
  const schemaAt = (name: string): Schema => {
    const inside = members.filter(({ path }) => path[0] === name);
    const [first] = inside;
    if (first?.path.length === 1) return first.schema;
    return schemaOfMembers(inside.map((m) => ({ ...m, path: m.path.slice(1) })));
  };
  return objectOf(
    Object.fromEntries(names.map((name) => [name, schemaAt(name)])),
    names.filter((name) => required.has(name)),
  );
}
