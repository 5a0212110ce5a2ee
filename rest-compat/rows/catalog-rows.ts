import { isWritable } from '../../src/kernel/declare/attribute.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { kebabCase, upperFirst, nounWithArticle } from '../../src/base/names.js';
import { may, OPEN, writing } from '../../src/kernel/declare/permissions.js';
import type { Verb } from '../../src/kernel/declare/verbs.js';
import type { Relation, Resource } from '../../src/kernel/declare/resource.js';
import { byId, type Written } from './hand-shapes.js';
import {
  listArguments,
  listHead,
  listParameters,
  listVariables,
  nestedPage,
  queryText,
} from '../engine/list-parameters.js';
import { revisionIn } from '../engine/entity-tag.js';
import type { Connection, Interface, Parameter, RestRequest, RestRow } from '../engine/rest-row.js';
import { entitySchema } from '../engine/openapi-schema.js';
import { entityView, listSelection, restSelection } from '../engine/view.js';
import { invalidField } from '../../src/base/errors.js';
import { merged } from '../../src/base/merged.js';

const MANAGEMENT: readonly Interface[] = ['management'];

/** The rows from the declarations of resources: list, detail, writes, relation lists. */
export function catalogRows(catalog: Catalog): RestRow[] {
  return [...catalog.all()].filter(isServed).flatMap((resource) => [
    ...resourceRows(resource, catalog, resource.options.path),
    ...[...resource.relations.values()].flatMap((relation) => {
      const { path: segment = kebabCase(relation.name) } = relation;
      return segment === false ? [] : [relationRow(resource, relation, segment, catalog)];
    }),
  ]);
}

const isServed = ({ options }: Resource): boolean => options.interfaces?.length !== 0;

/** The rows of one resource under a collection; a resource may have two collections. */
export function resourceRows(resource: Resource, catalog: Catalog, collection: string): RestRow[] {
  const rows = [listRow(resource, catalog, collection)];
  // A public resource has only a list, since one entity shows no more.
  if (!resource.options.open) rows.push(detailRow(resource, catalog, collection));
  const { verbs } = resource;
  if (verbs.has('create')) rows.push(createRow(resource, collection));
  if (verbs.has('replace')) rows.push(changeRow(resource, collection, 'replace'));
  if (verbs.has('update')) rows.push(changeRow(resource, collection, 'update'));
  if (verbs.has('delete')) rows.push(deleteRow(resource, collection));
  return rows;
}

const common = (resource: Resource, collection: string) => ({
  on: resource.options.interfaces ?? MANAGEMENT,
  tag: collection,
});

function listRow(resource: Resource, catalog: Catalog, collection: string): RestRow {
  return {
    ...common(resource, collection),
    method: 'GET',
    path: `/${collection}`,
    operationId: `list${upperFirst(camel(collection))}`,
    summary: `A page of ${resource.options.plural}.`,
    permission: resource.options.open ? OPEN : may(resource.options.permission, 'read'),
    document: `query (${listHead(resource)}) { result: ${resource.list}(${listArguments(resource)}) ${listSelection(resource, catalog)} }`,
    variables: (request) => listVariables(resource, request),
    parameters: listParameters(resource),
    status: 200,
    errors: listErrors(resource),
    answer: {
      kind: 'list',
      resource,
      page: (result: Connection) => result,
      view: entityView(resource, catalog),
      schema: entitySchema(resource, catalog),
    },
  };
}

/** The error statuses of a list; 404 if an argument names an entity. */
export const listErrors = ({ options: { listArguments = [] } }: Resource): number[] => [
  400,
  401,
  ...(listArguments.some(({ names }) => names !== undefined) ? [404] : []),
];

const camel = (collection: string): string =>
  collection.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

function detailRow(resource: Resource, catalog: Catalog, collection: string): RestRow {
  return {
    ...common(resource, collection),
    method: 'GET',
    path: `/${collection}/{id}`,
    operationId: `detail${suffix(resource, collection)}`,
    summary: `One ${resource.label}.`,
    permission: may(resource.options.permission, 'read'),
    document: `query ($id: ID!) { result: ${resource.single}(id: $id) { ${restSelection(resource, catalog)} revision } }`,
    variables: byId,
    status: 200,
    errors: [401, 404],
    answer: {
      kind: 'data',
      view: entityView(resource, catalog),
      schema: entitySchema(resource, catalog),
    },
  };
}

/**
 * The suffix of operation ids: routers have two collections, whose operations need different names.
 */
const suffix = (resource: Resource, collection: string): string =>
  collection === resource.options.path
    ? resource.name
    : upperFirst(camel(collection).replace(/s$/, ''));

function createRow(resource: Resource, collection: string): RestRow {
  return {
    ...common(resource, collection),
    method: 'POST',
    path: `/${collection}`,
    operationId: `create${suffix(resource, collection)}`,
    summary: `Creates ${nounWithArticle(resource.name)}.`,
    permission: writing(resource, 'create'),
    document: `mutation ($input: Create${resource.name}Input!) { result: create${resource.name}(input: $input) { id } }`,
    variables: ({ body }) => ({ input: body }),
    body: { kind: 'input', resource, verb: 'create' },
    status: 201,
    errors: [400, 401, ...(namesOthers(resource) ? [404] : []), ...conflicts(resource, 'create')],
    answer: { kind: 'created', collection, id: ({ id }: Written) => id },
  };
}

function changeRow(resource: Resource, collection: string, verb: 'replace' | 'update'): RestRow {
  const name = `${verb}${resource.name}`;
  return {
    ...common(resource, collection),
    method: verb === 'replace' ? 'PUT' : 'PATCH',
    path: `/${collection}/{id}`,
    operationId: `${verb === 'replace' ? 'update' : 'patch'}${suffix(resource, collection)}`,
    summary:
      verb === 'replace'
        ? `Sets all attributes of ${nounWithArticle(resource.name)}.`
        : `Changes some attributes of ${nounWithArticle(resource.name)}.`,
    permission: writing(resource, verb),
    document: `mutation ($id: ID!, $input: ${upperFirst(verb)}${resource.name}Input!, $ifRevision: Int) { result: ${name}(id: $id, input: $input, ifRevision: $ifRevision) { id } }`,
    variables: (request) => ({ input: request.body, ...byId(request), ...ifMatch(request) }),
    parameters: [IF_MATCH],
    body: { kind: 'input', resource, verb },
    status: 200,
    errors: [400, 401, 404, ...conflicts(resource, verb), 412],
    answer: { kind: 'empty' },
  };
}

/** Whether an unknown entity in a body is a 404 instead of a field error. */
const namesOthers = ({ options, attributes }: Resource): boolean =>
  options.rest?.namesOthers === true ||
  [...attributes.values()].some(
    (a) =>
      isWritable(a, 'create') &&
      (a.type.kind === 'reference' || a.type.kind === 'references') &&
      a.missingField === undefined,
  );

/** 409 if a verb can conflict with references, unique values or access rules. */
function conflicts({ options: { decides, rest } }: Resource, verb: Verb): number[] {
  const hasAccessRules = verb !== 'delete' && (decides?.reach ?? decides?.rule) !== undefined;
  return hasAccessRules || rest?.conflicts?.includes(verb) ? [409] : [];
}

function deleteRow(resource: Resource, collection: string): RestRow {
  const forbids = resource.options.rest?.forbidsDeletion === true;
  return {
    ...common(resource, collection),
    method: 'DELETE',
    path: `/${collection}/{id}`,
    operationId: `delete${suffix(resource, collection)}`,
    summary: `Deletes ${nounWithArticle(resource.name)}.`,
    permission: writing(resource, 'delete'),
    ...(forbids ? { forbids } : {}),
    document: `mutation ($id: ID!, $ifRevision: Int) { result: delete${resource.name}(id: $id, ifRevision: $ifRevision) }`,
    variables: (request) => merged(byId(request), ifMatch(request)),
    parameters: [IF_MATCH],
    status: 200,
    errors: [...(forbids ? [401, 403] : [400, 401]), 404, ...conflicts(resource, 'delete'), 412],
    answer: { kind: 'empty' },
  };
}

const IF_MATCH: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'The ETag of the entity as it was read; 412 when it was changed in between.',
  schema: { type: 'string' },
};

function ifMatch({ headers, path }: RestRequest): { ifRevision?: number } {
  const ifRevision = revisionIn(headers['if-match'], path.id ?? '');
  return ifRevision === undefined ? {} : { ifRevision };
}

/** The list of a relation; `listed` describes its entities. */
export function relationRow(
  resource: Resource,
  relation: Relation,
  segment: string,
  catalog: Catalog,
  listed: Resource = catalog.get(relation.target),
): RestRow {
  const typed = relation.byAccessType === true;
  const collection = resource.options.path;
  const head = `$id: ID!, ${listHead(listed)}${typed ? ', $type: AccessType' : ''}`;
  const args = `${listArguments(listed)}${typed ? ', type: $type' : ''}`;
  return {
    ...common(resource, collection),
    method: 'GET',
    path: `/${collection}/{id}/${segment}`,
    operationId: `list${resource.name}${upperFirst(camel(segment))}`,
    summary: relation.description,
    permission: may(listed.options.permission, 'read'),
    document: `query (${head}) { result: ${resource.single}(id: $id) { page: ${relation.name}(${args}) ${listSelection(listed, catalog)} } }`,
    variables: (request) => ({
      id: request.path.id,
      ...listVariables(listed, request),
      ...(typed ? accessType(request) : {}),
    }),
    parameters: [...listParameters(listed), ...(typed ? [POLICY_TYPE] : [])],
    status: 200,
    // Consoles request it while they create an entity.
    emptyWithoutParent: true,
    errors: listErrors(listed),
    answer: {
      kind: 'list',
      resource: listed,
      page: nestedPage,
      view: entityView(listed, catalog),
      schema: entitySchema(listed, catalog),
    },
  };
}

const POLICY_TYPE: Parameter = {
  name: 'policyType',
  in: 'query',
  description: 'Narrows to one kind of access.',
  schema: { type: 'string', enum: ['dial', 'bind'] },
};

/** Reads `dial` or `bind`, in upper or lower case; without either the list has both. */
function accessType(request: RestRequest): { type?: string } {
  const text = queryText(request, POLICY_TYPE.name);
  if (text === undefined) return {};
  const type = upperFirst(text.toLowerCase());
  if (type === 'Dial' || type === 'Bind') return { type };
  throw invalidField(POLICY_TYPE.name, 'should be one of [dial bind]', text);
}
