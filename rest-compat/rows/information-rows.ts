import { link } from '../../src/kernel/declare/rest.js';
import { stringify } from 'yaml';
import { OPEN } from '../../src/kernel/declare/permissions.js';
import type { ProtocolAddress } from '../../src/resources/protocol-address.js';
import { asItIs, BOTH, byId, STRING } from './hand-shapes.js';
import type { Interface, RestRequest, RestRow, Schema } from '../engine/rest-row.js';
import { ref } from '../engine/openapi-schema.js';

const STRINGS: Schema = { type: 'array', items: STRING };

const open = (
  path: string,
  operationId: string,
  summary: string,
): Pick<
  RestRow,
  | 'on'
  | 'method'
  | 'path'
  | 'operationId'
  | 'tag'
  | 'summary'
  | 'permission'
  | 'variables'
  | 'status'
  | 'errors'
  | 'isPublic'
> => ({
  on: BOTH,
  method: 'GET',
  path,
  operationId,
  tag: 'information',
  summary,
  permission: OPEN,
  variables: () => ({}),
  status: 200,
  errors: [],
  isPublic: true,
});

const VERSION = `query { result: version { buildDate revision runtimeVersion version capabilities apiVersions { api version path apiBaseUrls } } }`;

interface ServedVersion {
  readonly api: string;
  readonly version: string;
  readonly path: string;
  readonly apiBaseUrls: readonly string[];
}

interface Version {
  readonly buildDate: string;
  readonly revision: string;
  readonly runtimeVersion: string;
  readonly version: string;
  readonly capabilities: readonly string[];
  readonly apiVersions: readonly ServedVersion[];
}

/** Clients look versions up by their interfaces. */
const versionView = ({ apiVersions, ...others }: Version): object => ({
  ...others,
  apiVersions: Object.fromEntries(
    apiVersions.map(({ api, version, path, apiBaseUrls }) => [
      api,
      { [version]: { apiBaseUrls, path, version } },
    ]),
  ),
});

const addressOfProtocol = (addresses: readonly ProtocolAddress[]): object =>
  Object.fromEntries(addresses.map(({ protocol, address }) => [protocol, { address }]));

const VERSION_SCHEMA: Schema = {
  type: 'object',
  required: ['apiVersions', 'buildDate', 'capabilities', 'revision', 'runtimeVersion', 'version'],
  properties: {
    apiVersions: { type: 'object', additionalProperties: { type: 'object' } },
    buildDate: STRING,
    capabilities: STRINGS,
    revision: STRING,
    runtimeVersion: STRING,
    version: STRING,
  },
};

const SPEC_SCHEMA: Schema = {
  type: 'object',
  required: ['_links', 'id', 'name', 'createdAt', 'updatedAt', 'tags'],
  properties: {
    _links: ref('Links'),
    id: STRING,
    name: STRING,
    createdAt: { type: 'string', format: 'date-time' },
    updatedAt: { type: 'string', format: 'date-time' },
    tags: { type: 'object' },
  },
};

/** When the descriptions of this release were made; they change with releases alone. */
const SPECS_DATE = '2026-11-20T00:00:00.000Z';

interface Spec {
  readonly id: string;
  readonly name: string;
}

const specView = ({ id, name }: Spec): object => ({
  _links: { self: link(`specs/${id}`), spec: link(`specs/${id}/spec`) },
  id,
  name,
  createdAt: SPECS_DATE,
  updatedAt: SPECS_DATE,
  tags: {},
});

const versionRow = (path: string, operationId: string): RestRow => ({
  ...open(path, operationId, 'What this controller is and serves.'),
  document: VERSION,
  answer: { kind: 'data', view: versionView, schema: VERSION_SCHEMA },
});

/** What anybody may read. */
export function informationRows(): RestRow[] {
  return [
    versionRow('/', 'listRoot'),
    versionRow('/version', 'listVersion'),
    {
      ...open('/enumerated-capabilities', 'listEnumeratedCapabilities', 'Every ability known.'),
      document: 'query { result: capabilities }',
      answer: { kind: 'data', view: asItIs, schema: STRINGS },
    },
    {
      ...open('/protocols', 'listProtocols', 'Protocol -> address.'),
      on: ['client'],
      document: 'query { result: protocols { protocol address } }',
      answer: {
        kind: 'data',
        view: addressOfProtocol,
        schema: { type: 'object', additionalProperties: { type: 'object' } },
      },
    },
    {
      ...open('/network-jwts', 'listNetworkJWTs', 'Tokens that introduce the network.'),
      document: 'query { result: networkJwts { name token } }',
      answer: {
        kind: 'data',
        view: asItIs,
        schema: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'token'],
            properties: { name: STRING, token: STRING },
          },
        },
      },
    },
    {
      ...open('/.well-known/est/cacerts', 'listWellKnownCas', 'The authorities to trust.'),
      document: 'query { result: authorities }',
      answer: {
        kind: 'raw',
        contentType: 'application/pkcs7-mime',
        headers: { 'content-transfer-encoding': 'base64' },
        view: (pkcs7: string) => pkcs7,
      },
    },
    ...specRows(),
    swaggerRow('client', ({ headers }) =>
      // Documentation pages of the management interface ask here too.
      String(headers.referer ?? '').includes('/edge/management/')
        ? 'edge-management'
        : 'edge-client',
    ),
    swaggerRow('management', () => 'edge-management'),
  ];
}

const swaggerRow = (on: Interface, specOf: (request: RestRequest) => string): RestRow => ({
  ...open('/swagger.json', 'swagger', 'The OpenAPI document of this interface.'),
  on: [on],
  document: 'query ($id: ID!) { result: spec(id: $id) { document } }',
  variables: (request) => ({ id: specOf(request) }),
  answer: {
    kind: 'raw',
    contentType: 'application/json',
    view: ({ document }: { document: object }) => JSON.stringify(document),
  },
});

/** Clients get the description of their own interface. */
const specListRow = (on: Interface, isListed: (spec: Spec) => boolean): RestRow => ({
  ...open('/specs', 'listSpecs', 'The descriptions of the REST interfaces.'),
  on: [on],
  document: 'query { result: specs { id name } }',
  answer: {
    kind: 'data',
    view: (specs: Spec[]) => specs.filter(isListed).map(specView),
    schema: { type: 'array', items: SPEC_SCHEMA },
  },
});

function specRows(): RestRow[] {
  return [
    specListRow('client', ({ id }) => id === 'edge-client'),
    specListRow('management', () => true),
    {
      ...open('/specs/{id}', 'detailSpec', 'One description.'),
      document: 'query ($id: ID!) { result: spec(id: $id) { id name } }',
      variables: byId,
      errors: [404],
      answer: { kind: 'data', view: specView, schema: SPEC_SCHEMA },
    },
    {
      ...open('/specs/{id}/spec', 'detailSpecBody', 'The OpenAPI document, as JSON or YAML.'),
      document: 'query ($id: ID!) { result: spec(id: $id) { document } }',
      variables: byId,
      errors: [404],
      answer: {
        kind: 'raw',
        contentType: 'application/json',
        alternative: 'text/yaml',
        view: ({ document }: { document: object }, contentType: string) =>
          contentType === 'text/yaml'
            ? stringify(document, { aliasDuplicateObjects: false })
            : JSON.stringify(document),
      },
    },
  ];
}
