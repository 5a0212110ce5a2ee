import { upperFirst } from '../../src/base/names.js';
import { may } from '../../src/kernel/declare/permissions.js';
import type { Connection, Parameter, RestRequest, RestRow } from '../engine/rest-row.js';
import { objectOf, STRING } from './hand-shapes.js';

const ATTRIBUTE_KINDS = [
  ['identity', 'identity', 'identity'],
  ['edge-router', 'edgeRouter', 'router'],
  ['service', 'service', 'service'],
  ['posture-check', 'postureCheck', 'posture-check'],
] as const;

/** The role attributes that are in use, and their users. */
export const roleAttributeRows = (): RestRow[] => ATTRIBUTE_KINDS.flatMap(attributeRows);

/** Lists of texts have the one filterable field `id`, and limits in the filter text alone. */
const FILTER: Parameter = {
  name: 'filter',
  in: 'query',
  description: 'Condition on `id`, the text of the attribute; may sort, skip and limit.',
  schema: STRING,
};

function attributeRows([path, kind, entity]: (typeof ATTRIBUTE_KINDS)[number]): RestRow[] {
  const name = upperFirst(kind);
  const filter = ({ query }: RestRequest): { readonly filter?: string } => {
    const text = query.get('filter')?.at(-1);
    return text === undefined || text.trim() === '' ? {} : { filter: text };
  };
  const shared = {
    on: ['management'] as const,
    method: 'GET' as const,
    tag: 'role-attributes',
    permission: may(entity, 'read'),
    status: 200 as const,
    errors: [400, 401],
  };
  return [
    {
      ...shared,
      path: `/${path}-role-attributes`,
      operationId: `list${name}RoleAttributes`,
      summary: 'Role attributes in use.',
      document: `query ($filter: String) { result: roleAttributes(kind: ${kind}, filter: $filter) { nodes pagination { limit offset totalCount } } }`,
      variables: filter,
      parameters: [FILTER],
      answer: {
        kind: 'list',
        fields: ['id'],
        page: asPage,
        view: (text: string) => text,
        schema: STRING,
      },
    },
    {
      ...shared,
      path: `/${path}-role-attributes/usage`,
      operationId: `list${name}RoleAttributeUsage`,
      summary: 'Role attributes with who uses them.',
      document: `query ($filter: String, $withIds: Boolean!) { result: roleAttributeUsage(kind: ${kind}, filter: $filter, withIds: $withIds) { nodes { roleAttribute usage { collection count ids } } pagination { limit offset totalCount } } }`,
      variables: (request) => ({
        ...filter(request),
        withIds: request.query.get('withIds')?.at(-1) === 'true',
      }),
      parameters: [
        FILTER,
        {
          name: 'withIds',
          in: 'query',
          description: 'Whether to name the users.',
          schema: { type: 'boolean' },
        },
      ],
      answer: {
        kind: 'list',
        fields: ['id'],
        page: asPage,
        view: usageView,
        schema: objectOf({ roleAttribute: STRING, usage: { type: 'object' } }),
      },
    },
  ];
}

const asPage = (result: Connection): Connection => result;

interface Usage {
  readonly roleAttribute: string;
  readonly usage: readonly {
    readonly collection: string;
    readonly count: number;
    readonly ids: readonly string[] | null;
  }[];
}

/** Clients look users up by their collections. */
const usageView = ({ roleAttribute, usage }: Usage): object => ({
  roleAttribute,
  usage: Object.fromEntries(usage.map(({ collection, ...users }) => [collection, users])),
});
