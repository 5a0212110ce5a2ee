import { invalidField } from '../../../base/errors.js';
import { isObject } from '../../../base/row.js';
import { objectOf, STRING } from '../../../kernel/declare/rest-schema.js';
import {
  CLIENT,
  type Parameter,
  type RestAnswer,
  type RestOperation,
  type RestRequest,
} from '../../../kernel/graph/rest-operation.js';

/** The requests of clients that enroll: one path for all methods, and one for each. */

const parameter = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: STRING,
});

const TOKEN = parameter('token', 'The one-time token, a UUID.');
const METHOD = parameter('method', 'The method of enrollment; default: the method of the token.');

/** The answer for an identity includes the controllers that it talks to from now on. */
const ENROLLED: RestAnswer = { kind: 'data', entities: ['controllers'], omitsEmpty: true };

const enrollRequest = (
  below: string,
  operationId: string,
  summary: string,
  method: (request: RestRequest) => string | undefined,
): RestOperation => ({
  on: CLIENT,
  method: 'POST',
  path: `/enroll${below}`,
  operationId,
  tag: 'enrollment',
  summary,
  arguments: { method, input: enrollInput },
  parameters: [TOKEN],
  // Text that can not be a token counts as an unknown token.
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
  errors: [404, 409],
  answer: ENROLLED,
});

const byMethod = (method: string, operationId: string, summary: string): RestOperation =>
  enrollRequest(`/${method}`, operationId, summary, () => method);

const ANY_METHOD: RestOperation = {
  ...enrollRequest(
    '',
    'enroll',
    'Joins an identity or a router to the network.',
    ({ query }) => query.get('method')?.at(-1) || undefined,
  ),
  parameters: [TOKEN, METHOD],
  errors: [404, 409, 410],
};

/** The token parameter is required here; with other methods a missing token counts as unknown. */
const UPDB: RestOperation = {
  ...byMethod('updb', 'enrollUpdb', 'Joins an identity by one-time token with a password.'),
  parameters: [{ ...TOKEN, required: true }],
  arguments: { method: { value: 'updb' }, input: inputWithToken },
  answer: { kind: 'data', select: 'username', omitsEmpty: true },
};

export const ENROLL_REQUESTS: readonly RestOperation[] = [
  ANY_METHOD,
  byMethod('ott', 'enrollOtt', 'Joins an identity by one-time token.'),
  byMethod('ottca', 'enrollOttCa', 'Joins an identity by one-time token and certificate.'),
  byMethod('ca', 'enrollCa', 'Joins an identity that does not exist yet by certificate.'),
  UPDB,
  byMethod('erott', 'enrollErOtt', 'Joins an edge router by one-time token.'),
  {
    ...byMethod('token', 'enrollToken', 'Joins an identity by the JWT of an external signer.'),
    errors: [404, 409, 410],
  },
];

function inputWithToken(request: RestRequest): EnrollMembers {
  const input = enrollInput(request);
  if (input.token === undefined) {
    throw invalidField('token', 'token in query is required', '');
  }
  return input;
}

type EnrollMembers = Partial<
  Record<'token' | 'clientCsr' | 'serverCsr' | 'name' | 'password' | 'signerId', string>
>;

/** Clients of different versions spell members differently; a body that is no JSON is the request. */
function enrollInput({ body, query, headers }: RestRequest): EnrollMembers {
  const members = isObject(body) ? body : { clientCsr: body };
  const first = (...names: string[]): unknown => names.map((n) => members[n]).find(isFilled);
  const input = {
    token: query.get('token')?.at(-1) ?? first('token'),
    clientCsr: first('clientCsr', 'certCsr'),
    serverCsr: first('serverCsr', 'serverCertCsr'),
    name: first('name'),
    password: first('password'),
    signerId: headers['ziti-token-issuer-id'],
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => isFilled(value)));
}

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== '';
