import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { invalidField } from '../../src/base/errors.js';
import { may, OPEN } from '../../src/kernel/declare/permissions.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import { isText, needed } from '../engine/body-members.js';
import { objectOf, STRING } from './hand-shapes.js';
import type { Answer, Interface, Parameter, RestRequest, RestRow } from '../engine/rest-row.js';
import { entitySchema } from '../engine/openapi-schema.js';
import { entityView, restSelection, type EntityNode } from '../engine/view.js';
import { withoutNulls } from '../../src/base/without-nulls.js';

/** How identities and routers join: the generic operation, and one path per method. */

const CLIENT: readonly Interface[] = ['client'];
const MANAGEMENT: readonly Interface[] = ['management'];
const query = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: STRING,
});

const TOKEN = query('token', 'The one-time token, a UUID.');

const CERTIFICATES = { ca: STRING, cert: STRING, serverCert: STRING };

interface Certificates {
  readonly ca: string;
  readonly cert: string;
  readonly serverCert: string | null;
}

/** What has no certificate to show answers with the empty object. */
const certificatesView = (result: Partial<Certificates> | null): JsonObject =>
  withoutNulls(result ?? {});

type EnrolledNode = Certificates & { readonly controllers: readonly EntityNode[] };

/** How the answers of enrollments are asked for and shown. */
interface Enrolled {
  readonly selection: string;
  readonly answer: Answer;
}

/** Certificates, and with them for identities the controller to talk to, as `GET /controllers` shows it. */
function enrolled(catalog: Catalog): Enrolled {
  const resource = catalog.resources.Controller;
  const viewOf = entityView(resource, catalog);
  return {
    selection: `ca cert serverCert controllers { ${restSelection(resource, catalog)} }`,
    answer: {
      kind: 'data',
      view: (result: EnrolledNode | null) => {
        const { controllers = [], ...certificates }: Partial<EnrolledNode> = result ?? {};
        const shown = controllers.length > 0 ? { controllers: controllers.map(viewOf) } : {};
        return { ...certificatesView(certificates), ...shown };
      },
      schema: objectOf(
        {
          ...CERTIFICATES,
          controllers: { type: 'array', items: entitySchema(resource, catalog) },
        },
        [],
      ),
    },
  };
}

const EVERY_REFUSAL = [400, 401, 404, 409, 410];

export function enrollRows(catalog: Catalog): RestRow[] {
  const result = enrolled(catalog);
  return [
    enrollRow(
      result,
      '',
      'enroll',
      'Joins an identity or a router to the network.',
      ({ query: parameters }) => nonBlank(parameters.get('method')?.at(-1)),
      EVERY_REFUSAL,
    ),
    enrollRow(result, '/ott', 'enrollOtt', 'Joins an identity by one-time token.', () => 'ott'),
    enrollRow(
      result,
      '/ottca',
      'enrollOttCa',
      'Joins an identity by one-time token and certificate.',
      () => 'ottca',
    ),
    enrollRow(
      result,
      '/ca',
      'enrollCa',
      'Joins an identity that does not exist yet by certificate.',
      () => 'ca',
    ),
    withToken(
      enrollRow(
        result,
        '/updb',
        'enrollUpdb',
        'Joins an identity by one-time token with a password.',
        () => 'updb',
      ),
    ),
    enrollRow(
      result,
      '/erott',
      'enrollErOtt',
      'Joins an edge router by one-time token.',
      () => 'erott',
    ),
    enrollRow(
      result,
      '/token',
      'enrollToken',
      'Joins an identity by the JWT of an external signer.',
      () => 'token',
      EVERY_REFUSAL,
    ),
    extendRow,
    challengeRow,
    keysRow,
    ...authorityRows,
  ];
}

function enrollRow(
  { selection, answer }: Enrolled,
  below: string,
  operationId: string,
  summary: string,
  /** Undefined: that of the token. */
  methodOf: (request: RestRequest) => string | undefined,
  errors: readonly number[] = [400, 404, 409],
): RestRow {
  return {
    on: CLIENT,
    method: 'POST',
    path: `/enroll${below}`,
    operationId,
    tag: 'enrollment',
    summary,
    permission: OPEN,
    document: `mutation ($method: String, $input: EnrollInput!) { result: enroll(method: $method, input: $input) { ${selection} } }`,
    variables: (request) => ({ method: methodOf(request), input: enrollInput(request) }),
    parameters: [
      TOKEN,
      ...(below === '' ? [query('method', 'How to enroll; default: as the token says.')] : []),
    ],
    // An unsound token is an unknown one.
    anyText: true,
    body: {
      kind: 'any',
      description: 'A PKCS#10 request as PEM, or JSON.',
      schema: objectOf(
        {
          token: STRING,
          name: STRING,
          clientCsr: STRING,
          certCsr: STRING,
          serverCsr: STRING,
          serverCertCsr: STRING,
          username: STRING,
          password: STRING,
        },
        [],
      ),
    },
    status: 200,
    errors,
    answer,
  };
}

/** A path whose token is a parameter that must not be left out; elsewhere no token is an unknown one. */
const withToken = (row: RestRow): RestRow => ({
  ...row,
  parameters: [{ ...TOKEN, required: true }],
  variables: (request) => {
    if (enrollInput(request).token === undefined) {
      throw invalidField('token', 'token in query is required', '');
    }
    return row.variables(request);
  },
});

type EnrollInput = Partial<
  Record<'token' | 'clientCsr' | 'serverCsr' | 'name' | 'password' | 'signerId', string>
>;

/** Clients of different age spell the members differently; a body that is no JSON is the request itself. */
function enrollInput({ body, query: parameters, headers }: RestRequest): EnrollInput {
  const members = isObject(body) ? body : { clientCsr: body };
  const first = (...names: string[]): unknown => names.map((n) => members[n]).find(isFilled);
  const input = {
    token: parameters.get('token')?.at(-1) ?? first('token'),
    clientCsr: first('clientCsr', 'certCsr'),
    serverCsr: first('serverCsr', 'serverCertCsr'),
    name: first('name'),
    password: first('password'),
    signerId: headers['ziti-token-issuer-id'],
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => isFilled(value)));
}

const nonBlank = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== '';

const extendRow: RestRow = {
  on: CLIENT,
  method: 'POST',
  path: '/enroll/extend/router',
  operationId: 'extendRouterEnrollment',
  tag: 'enrollment',
  summary: 'New certificates for the router that the client certificate of the connection proves.',
  permission: OPEN,
  document:
    'mutation ($clientCsr: String!, $serverCsr: String!) { result: extendRouterEnrollment(clientCsr: $clientCsr, serverCsr: $serverCsr) { ca cert serverCert } }',
  variables: ({ body }) => ({
    clientCsr: needed(body, 'certCsr', 'string', isText),
    serverCsr: needed(body, 'serverCertCsr', 'string', isText),
  }),
  body: {
    kind: 'json',
    required: true,
    schema: objectOf({ certCsr: STRING, serverCertCsr: STRING }),
  },
  status: 200,
  errors: [400, 401],
  answer: { kind: 'data', view: certificatesView, schema: objectOf(CERTIFICATES, []) },
};

const challengeRow: RestRow = {
  on: CLIENT,
  method: 'POST',
  path: '/enroll/challenge',
  operationId: 'enrollmentChallenge',
  tag: 'enrollment',
  summary:
    'Signs the UTF-8 bytes of the nonce as received; `algorithm` is the JWS name, `signature` is DER in standard base64.',
  permission: OPEN,
  document:
    'query ($keyId: String!, $nonce: String!) { result: enrollmentChallenge(keyId: $keyId, nonce: $nonce) { algorithm caPool kid signature } }',
  variables: ({ body }) => ({
    keyId: needed(body, 'keyId', 'string', isText),
    nonce: needed(body, 'nonce', 'string', isText),
  }),
  body: { kind: 'json', required: true, schema: objectOf({ keyId: STRING, nonce: STRING }) },
  status: 200,
  errors: [400],
  answer: {
    kind: 'raw',
    contentType: 'application/json',
    view: (signed: object) => JSON.stringify(signed),
  },
};

const keysRow: RestRow = {
  on: CLIENT,
  method: 'GET',
  path: '/enroll/jwks',
  operationId: 'getEnrollmentJwks',
  tag: 'enrollment',
  summary: 'The public keys that sign enrollment tokens.',
  permission: OPEN,
  document: 'query { result: enrollmentKeys }',
  variables: () => ({}),
  status: 200,
  errors: [],
  answer: {
    kind: 'raw',
    contentType: 'application/json',
    view: (keys: object) => JSON.stringify(keys),
  },
};

const authorityRows: readonly RestRow[] = [
  {
    on: MANAGEMENT,
    method: 'POST',
    path: '/cas/{id}/verify',
    operationId: 'verifyCa',
    tag: 'cas',
    summary: 'Verifies an authority by a certificate that it signed for its verification token.',
    permission: may('ca', 'update'),
    document:
      'mutation ($id: ID!, $certificate: String!) { result: verifyCertificateAuthority(id: $id, certificate: $certificate) }',
    variables: ({ path, body }) => ({ id: path.id, certificate: isText(body) ? body : '' }),
    body: { kind: 'text', description: 'The certificate, as PEM.' },
    status: 200,
    errors: [400, 401, 404, 409],
    answer: { kind: 'empty' },
  },
  {
    on: MANAGEMENT,
    method: 'GET',
    path: '/cas/{id}/jwt',
    operationId: 'getCaJwt',
    tag: 'cas',
    summary: 'The token for clients that hold a certificate of the authority.',
    permission: may('ca', 'read'),
    document: 'query ($id: ID!) { result: certificateAuthorityJwt(id: $id) }',
    variables: ({ path }) => ({ id: path.id }),
    status: 200,
    errors: [401, 404],
    answer: { kind: 'raw', contentType: 'application/jwt', view: (jwt: string) => jwt },
  },
];
