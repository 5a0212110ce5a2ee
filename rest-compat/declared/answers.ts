import {
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from 'graphql';
import type { JsonObject } from '../../src/base/row.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import {
  listOf,
  objectOf,
  withProperties,
  type Schema,
} from '../../src/kernel/declare/rest-schema.js';
import type { RestAnswer, RestOperation } from '../../src/kernel/graph/rest-operation.js';
import { entityBody } from '../engine/entity-body.js';
import type { Answer, Connection } from '../engine/rest-row.js';
import { entitySchema } from '../engine/openapi-schema.js';
import { entityView, restSelection, type EntityNode } from '../engine/view.js';
import { csvColumns } from './csv-columns.js';
import { selectedSchema } from './graph-schemas.js';
import { wholeBody, type WholeBody } from './whole-body.js';

/** The selection of an operation's document, and the form of its answer. */
export interface SelectedAnswer {
  /** The selection with its braces; empty for a scalar result. */
  readonly selection: string;
  readonly answer: Answer;
}

type Field = GraphQLField<unknown, unknown>;
type AnswerOf<K extends RestAnswer['kind']> = Extract<RestAnswer, { kind: K }>;

export function answerOf(
  catalog: Catalog,
  kind: 'query' | 'mutation',
  { type }: Field,
  { answer, selectionArguments = {} }: RestOperation,
): SelectedAnswer {
  const result = new ResultType(catalog, type, Object.keys(selectionArguments));
  const declared = answer ?? result.usualAnswer(kind);
  switch (declared.kind) {
    case 'empty':
      return { selection: result.least, answer: { kind: 'empty' } };
    case 'created':
      return { selection: result.least, answer: { ...declared, id: idOf } };
    case 'data':
      return dataAnswer(result, declared, catalog);
    case 'entity':
      return entityAnswer(result, declared, catalog);
    case 'list':
      return listAnswer(result, declared);
    case 'raw':
      return rawAnswer(result, declared);
  }
}

/** The result type of a field, with facts that REST needs. */
class ResultType {
  readonly named: GraphQLNamedType;

  constructor(
    private readonly catalog: Catalog,
    readonly type: GraphQLOutputType,
    private readonly variables: readonly string[],
  ) {
    this.named = getNamedType(type);
  }

  get resource(): Resource | undefined {
    return this.resourceOf(this.named.name);
  }

  /** The type of one node, if the result is a page. */
  get nodes(): ResultType | undefined {
    if (!isObjectType(this.named)) return undefined;
    const { nodes, pagination } = this.named.getFields();
    const list = nodes && pagination && getNullableType(nodes.type);
    return isListType(list) ? new ResultType(this.catalog, list.ofType, this.variables) : undefined;
  }

  /** The smallest valid selection. */
  get least(): string {
    if (!isObjectType(this.named)) return '';
    const fields = this.named.getFields();
    return braced(fields.id ? 'id' : (Object.keys(fields)[0] ?? ''));
  }

  whole(without: readonly string[] = []): WholeBody {
    const isEntity = (name: string): boolean => this.resourceOf(name) !== undefined;
    return wholeBody(this.type, { isEntity, variables: this.variables }, without);
  }

  entityMember(name: string, catalog: Catalog): EntityMember {
    const field = isObjectType(this.named) ? this.named.getFields()[name] : undefined;
    const resource = field && this.resourceOf(getNamedType(field.type).name);
    if (!resource) throw new Error(`${this.named.name}.${name} is no resource`);
    return {
      name,
      selection: `${name} { ${restSelection(resource, catalog)} }`,
      view: entityView(resource, catalog),
      schema: listOf(entitySchema(resource, catalog)),
    };
  }

  usualAnswer(kind: 'query' | 'mutation'): RestAnswer {
    if (this.nodes) return { kind: 'list' };
    if (this.resource && !isListType(getNullableType(this.type))) {
      return { kind: kind === 'query' ? 'entity' : 'empty' };
    }
    return { kind: isObjectType(this.named) || kind === 'query' ? 'data' : 'empty' };
  }

  private resourceOf(name: string): Resource | undefined {
    return [...this.catalog.all()].find((resource) => resource.name === name);
  }
}

const braced = (selection: string): string => (selection === '' ? '' : `{ ${selection} }`);

/** The id of a new entity, from a mutation that gives the id or the entity. */
const idOf = (result: string | { readonly id: string }): string =>
  typeof result === 'string' ? result : result.id;

const unchanged = (result: unknown): unknown => result;

const rawView = (result: unknown): string =>
  typeof result === 'string' ? result : JSON.stringify(result);

/** Selected members are shown as they are, so the selection gives their schema. */
function rawAnswer({ type }: ResultType, declared: AnswerOf<'raw'>): SelectedAnswer {
  const { select = '', view = rawView } = declared;
  const isSelected = select !== '' && !declared.view && !declared.schema;
  const selected = isSelected
    ? { schema: selectedSchema(type, select, { isDescribed: true }) }
    : {};
  return { selection: braced(select), answer: { ...selected, ...declared, view } };
}

/** The selected members, or all of them. */
const bodyOf = (
  result: ResultType,
  { select, without }: AnswerOf<'data'> | AnswerOf<'list'>,
): WholeBody =>
  select === undefined
    ? result.whole(without)
    : { selection: select, schema: selectedSchema(result.type, select) };

function dataAnswer(
  result: ResultType,
  declared: AnswerOf<'data'>,
  catalog: Catalog,
): SelectedAnswer {
  const entities = (declared.entities ?? []).map((name) => result.entityMember(name, catalog));
  const { selection, schema, view = unchanged } = bodyOf(result, declared);
  const shown = Object.fromEntries(entities.map((e) => [e.name, e.schema]));
  const selected = declared.omitsEmpty ? allOptional(withProperties(schema, shown)) : schema;
  const { schema: own = selected } = declared;
  return {
    selection: braced([selection, ...entities.map((e) => e.selection)].join(' ')),
    answer: {
      kind: 'data',
      view: declared.view ?? (declared.omitsEmpty ? shownMembers(entities) : view),
      schema: typeof own === 'function' ? own(selected) : own,
    },
  };
}

/** A list of resources among the members of a result. */
interface EntityMember {
  readonly name: string;
  readonly selection: string;
  readonly view: (node: EntityNode) => JsonObject;
  readonly schema: Schema;
}

function allOptional(schema: Schema): Schema {
  const properties = Object.entries(schema.properties as Record<string, Schema>);
  return objectOf(
    Object.fromEntries(properties.map(([name, schema]) => [name, omit(schema, 'nullable')])),
    [],
  );
}

const omit = (schema: Schema, keyword: string): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));

const shownMembers =
  (entities: readonly EntityMember[]) =>
  (result: JsonObject | null): JsonObject =>
    Object.fromEntries(
      Object.entries(result ?? {}).flatMap(([name, value]): [string, unknown][] => {
        if (value === null || (Array.isArray(value) && value.length === 0)) return [];
        const entity = entities.find((e) => e.name === name);
        return [[name, entity ? (value as EntityNode[]).map(entity.view) : value]];
      }),
    );

function listAnswer(result: ResultType, declared: AnswerOf<'list'>): SelectedAnswer {
  const { nodes } = result;
  if (!nodes) throw new Error(`${result.named.name} is no page`);
  const { selection, schema, view = unchanged } = bodyOf(nodes, declared);
  const { fields = [], columns } = declared;
  return {
    selection: `{ nodes ${braced(selection)} pagination { limit offset totalCount } }`,
    answer: {
      kind: 'list',
      fields,
      page: (page: Connection) => page,
      view: declared.view ?? view,
      schema: declared.schema ?? schema,
      ...(columns ? { columns: csvColumns(nodes.named, columns) } : {}),
    },
  };
}

function entityAnswer(
  result: ResultType,
  declared: AnswerOf<'entity'>,
  catalog: Catalog,
): SelectedAnswer {
  const { resource } = result;
  if (!resource) throw new Error(`${result.named.name} is no resource`);
  const { title, with: added = [], without = [], links, headers, hasETag } = declared;
  const schemas = selectedSchema(result.type, added.join(' ')).properties;
  const body = entityBody(resource, catalog, {
    ...(title === undefined ? {} : { title }),
    ...(added.length > 0 ? { added: schemas as Record<string, Schema> } : {}),
    without,
    ...(links ? { links } : {}),
  });
  const selected = [restSelection(resource, catalog), ...added, ...(hasETag ? ['revision'] : [])];
  return {
    selection: braced(selected.join(' ')),
    answer: { kind: 'data', ...body, ...(headers ? { headers } : {}) },
  };
}
