import { link } from '../../src/kernel/declare/rest.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { SESSION } from '../../src/kernel/declare/permissions.js';
import { isText, needed } from '../engine/body-members.js';
import { byId, objectOf, STRING, type Written } from './hand-shapes.js';
import {
  listArguments,
  listHead,
  listParameters,
  listVariables,
  nestedPage,
} from '../engine/list-parameters.js';
import type { RestRow } from '../engine/rest-row.js';
import { entitySchema, ref } from '../engine/openapi-schema.js';
import { entityView, restSelection } from '../engine/view.js';

/** Certificates of the own API session, for connections to routers. */
export const sessionCertificateRows = (catalog: Catalog): RestRow[] => [
  ...readRows(catalog),
  ...writeRows(),
];

const CERTIFICATES = 'current-api-session/certificates';

const SHARED = { on: ['client'] as const, tag: 'certificates', permission: SESSION };

function readRows(catalog: Catalog): RestRow[] {
  const resource = catalog.resources.ApiSessionCertificate;
  const fields = restSelection(resource, catalog);
  const view = entityView(resource, catalog);
  const schema = entitySchema(resource, catalog);
  return [
    {
      ...SHARED,
      method: 'GET',
      path: `/${CERTIFICATES}`,
      operationId: 'listCurrentApiSessionCertificates',
      summary: 'The certificates of the own API session.',
      document: `query (${listHead(resource)}) { result: currentApiSession { page: certificates(${listArguments(resource)}) { nodes { ${fields} } pagination { limit offset totalCount } } } }`,
      variables: (request) => listVariables(resource, request),
      parameters: listParameters(resource),
      status: 200,
      errors: [400, 401],
      answer: {
        kind: 'list',
        resource,
        page: nestedPage,
        view,
        schema,
      },
    },
    {
      ...SHARED,
      method: 'GET',
      path: `/${CERTIFICATES}/{id}`,
      operationId: 'detailCurrentApiSessionCertificate',
      summary: 'One of the certificates of the own API session.',
      document: `query ($id: ID!) { result: currentApiSessionCertificate(id: $id) { ${fields} } }`,
      variables: byId,
      status: 200,
      errors: [401, 404],
      answer: { kind: 'data', view, schema },
    },
  ];
}

const writeRows = (): RestRow[] => [
  {
    ...SHARED,
    method: 'POST',
    path: `/${CERTIFICATES}`,
    operationId: 'createCurrentApiSessionCertificate',
    summary: 'Certifies a key for connections to routers.',
    document:
      'mutation ($csr: String!) { result: createCurrentApiSessionCertificate(csr: $csr) { id certificate cas } }',
    variables: ({ body }) => ({ csr: needed(body, 'csr', 'string', isText) }),
    body: { kind: 'json', required: true, schema: objectOf({ csr: STRING }) },
    status: 201,
    errors: [400, 401],
    answer: {
      kind: 'data',
      view: (made: Written) => ({
        _links: { self: link(`${CERTIFICATES}/${made.id}`) },
        ...made,
      }),
      schema: objectOf({ _links: ref('Links'), id: STRING, certificate: STRING, cas: STRING }),
    },
  },
  {
    ...SHARED,
    method: 'DELETE',
    path: `/${CERTIFICATES}/{id}`,
    operationId: 'deleteCurrentApiSessionCertificate',
    summary: 'Drops one of the certificates of the own API session.',
    document: 'mutation ($id: ID!) { result: deleteCurrentApiSessionCertificate(id: $id) }',
    variables: byId,
    status: 200,
    errors: [401, 404],
    answer: { kind: 'empty' },
  },
];
