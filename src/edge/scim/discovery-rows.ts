import type { JsonObject } from '../../base/row.js';
import { unknownResource } from '../../access/directories/index.js';
import { GROUP_SCHEMA } from './group-rows.js';
import { MAX_RESULTS } from './list-page.js';
import { USER_SCHEMA } from './user-rows.js';
import type {
  DirectoryReply,
  DirectoryRequest,
  DirectoryRoute,
} from '../directories/directory-request.js';

/* The abilities of the interface (RFC 7643 5 to 7). */

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const CONFIG = {
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A token of the directory, in the header Authorization.',
      primary: true,
    },
  ],
};

interface AttributeOptions {
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference' | 'binary';
  readonly referenceTypes?: readonly string[];
  readonly required?: boolean;
  readonly multiValued?: boolean;
  readonly mutability?: 'readWrite' | 'readOnly';
  readonly uniqueness?: 'none' | 'server';
  readonly caseExact?: boolean;
  readonly subAttributes?: readonly JsonObject[];
}

const attributeOf = (name: string, options: AttributeOptions = {}): JsonObject => ({
  name,
  type: 'string',
  multiValued: false,
  description: '',
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...options,
});

const texts = (...names: readonly string[]): JsonObject[] => names.map((name) => attributeOf(name));

const reference = (name: string, ...referenceTypes: readonly string[]): JsonObject =>
  attributeOf(name, { type: 'reference', referenceTypes, caseExact: true });

const PRIMARY = attributeOf('primary', { type: 'boolean' });

/** A list of elements of which one can be the primary one (RFC 7643 2.4). */
const listed = (name: string, value: JsonObject = attributeOf('value')): JsonObject =>
  attributeOf(name, {
    type: 'complex',
    multiValued: true,
    subAttributes: [value, ...texts('display', 'type'), PRIMARY],
  });

/** Attributes of RFC 7643 4.1 and 8.7.1 that the controller stores as the provider writes them. */
const STORED: readonly JsonObject[] = [
  ...texts('displayName', 'nickName', 'title', 'userType'),
  reference('profileUrl', 'external'),
  ...texts('preferredLanguage', 'locale', 'timezone'),
  ...['emails', 'phoneNumbers', 'ims', 'entitlements', 'roles'].map((name) => listed(name)),
  listed('photos', reference('value', 'external')),
  listed('x509Certificates', attributeOf('value', { type: 'binary', caseExact: true })),
  attributeOf('addresses', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      ...texts('formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country', 'type'),
      PRIMARY,
    ],
  }),
];

const NAME = texts(
  ...['formatted', 'familyName', 'givenName', 'middleName'],
  ...['honorificPrefix', 'honorificSuffix'],
);

const ENTERPRISE_SCHEMA: JsonObject = {
  schemas: [`${CORE}:Schema`],
  id: ENTERPRISE,
  name: 'EnterpriseUser',
  description: 'Attributes of a user in an organisation (RFC 7643 4.3).',
  attributes: [
    ...texts('employeeNumber', 'costCenter', 'organization', 'division', 'department'),
    attributeOf('manager', {
      type: 'complex',
      subAttributes: [attributeOf('value'), reference('$ref', 'User'), attributeOf('displayName')],
    }),
  ],
};

const SCHEMAS: readonly JsonObject[] = [
  {
    schemas: [`${CORE}:Schema`],
    id: USER_SCHEMA,
    name: 'User',
    description: 'A user, who is an identity.',
    attributes: [
      attributeOf('userName', { required: true, uniqueness: 'server' }),
      attributeOf('externalId', { caseExact: true }),
      attributeOf('active', { type: 'boolean' }),
      attributeOf('name', {
        type: 'complex',
        subAttributes: NAME,
      }),
      ...STORED,
      attributeOf('groups', {
        type: 'complex',
        multiValued: true,
        mutability: 'readOnly',
        subAttributes: texts('value', 'display'),
      }),
    ],
  },
  {
    schemas: [`${CORE}:Schema`],
    id: GROUP_SCHEMA,
    name: 'Group',
    description: 'A group, which gives its members a role attribute.',
    attributes: [
      attributeOf('displayName', { required: true, uniqueness: 'server' }),
      attributeOf('externalId', { caseExact: true }),
      attributeOf('members', {
        type: 'complex',
        multiValued: true,
        subAttributes: texts('value', 'type'),
      }),
    ],
  },
  ENTERPRISE_SCHEMA,
];

const RESOURCE_TYPES: readonly JsonObject[] = [
  {
    schemas: [`${CORE}:ResourceType`],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    schema: USER_SCHEMA,
    schemaExtensions: [{ schema: ENTERPRISE, required: false }],
  },
  {
    schemas: [`${CORE}:ResourceType`],
    id: 'Group',
    name: 'Group',
    endpoint: '/Groups',
    schema: GROUP_SCHEMA,
  },
];

const listOf = (resources: readonly JsonObject[]): DirectoryReply => ({
  status: 200,
  body: {
    schemas: [LIST],
    totalResults: resources.length,
    startIndex: 1,
    itemsPerPage: resources.length,
    Resources: resources,
  },
});

const oneOf =
  (resources: readonly JsonObject[]) =>
  ({ id }: DirectoryRequest): DirectoryReply => {
    const body = resources.find((resource) => resource.id === id);
    if (!body) throw unknownResource(id);
    return { status: 200, body };
  };

export const DISCOVERY_ROWS: readonly DirectoryRoute[] = [
  { method: 'GET', path: '/ServiceProviderConfig', serve: () => ({ status: 200, body: CONFIG }) },
  { method: 'GET', path: '/ResourceTypes', serve: () => listOf(RESOURCE_TYPES) },
  { method: 'GET', path: '/ResourceTypes/{id}', serve: oneOf(RESOURCE_TYPES) },
  { method: 'GET', path: '/Schemas', serve: () => listOf(SCHEMAS) },
  { method: 'GET', path: '/Schemas/{id}', serve: oneOf(SCHEMAS) },
];
