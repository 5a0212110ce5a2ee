import { certificateText, requestText } from './credentials.js';
import { filterText, sortText } from './filters.js';
import { placeholder } from './placeholders.js';
import type { Random } from './random.js';
import type { Member, Shape } from './shapes.js';

/** What is known where a value is made. */
export interface Making {
  readonly random: Random;
  /** A text that no other request has. */
  readonly unique: string;
  /** Names of the fields of what is listed, for filters. */
  readonly fields?: readonly string[];
  /** Of what an argument or member called `id` is. */
  readonly idsOf?: string;
  /** How many objects stand around what is made. */
  readonly depth?: number;
}

type Maker = (making: Making, title: string) => unknown;

/** What entities of each kind are called by as members. */
const REFERENCES: Readonly<Record<string, string>> = {
  identityId: 'identities',
  asIdentity: 'identities',
  serviceId: 'services',
  service: 'services',
  servicePolicyId: 'service-policies',
  router: 'edge-routers',
  configId: 'configs',
  configTypeId: 'config-types',
  authPolicyId: 'auth-policies',
  enrollAuthPolicyId: 'auth-policies',
  caId: 'cas',
  ottca: 'cas',
  signerId: 'external-jwt-signers',
  requireExtJwtSigner: 'external-jwt-signers',
  since: 'changes',
  from: 'changes',
  to: 'changes',
  at: 'changes',
};
const REFERENCE_LISTS: Readonly<Record<string, string>> = {
  configs: 'configs',
  configTypes: 'config-types',
  allowedSigners: 'external-jwt-signers',
};
const SLOTS = 40;

export const someId = (random: Random, kind: string): string =>
  placeholder(kind, random.between(0, SLOTS));

const ATTRIBUTES = ['blue', 'green', 'red', 'Zürich', 'a b'];
const attributes: Maker = ({ random }) => random.some(ATTRIBUTES, 40);
const tags: Maker = ({ random }) =>
  Object.fromEntries(
    random.list(0, 3, (i) => [`k${String(i)}`, random.pick(['here', 1, true, null, 1.5])]),
  );

const roles =
  (kind: string): Maker =>
  ({ random }) =>
    random.made([
      [3, () => ['#all']],
      [4, () => random.some(ATTRIBUTES, 40).map((attribute) => `#${attribute}`)],
      [3, () => random.list(1, 3, () => `@${someId(random, kind)}`)],
    ]);

const picked =
  (...values: readonly unknown[]): Maker =>
  ({ random }) =>
    random.pick(values);

const unique: Maker = ({ unique: text }) => text;
const LATER = '2099-01-01T00:00:00.000Z';
const IMPORTED = { services: [{ name: 'imported', encryptionRequired: true }] };

/** Members whose values a schema does not tell, by name, or by the title of the schema and name. */
const MAKERS: Readonly<Record<string, Maker>> = {
  name: unique,
  username: unique,
  updb: unique,
  externalId: unique,
  issuer: unique,
  kid: unique,
  tags,
  appData: tags,
  roleAttributes: attributes,
  identityRoles: roles('identities'),
  'CreateCertificateAuthority.identityRoles': attributes,
  'ReplaceCertificateAuthority.identityRoles': attributes,
  'UpdateCertificateAuthority.identityRoles': attributes,
  'CreateCertificateAuthorityInput.identityRoles': attributes,
  'ReplaceCertificateAuthorityInput.identityRoles': attributes,
  'UpdateCertificateAuthorityInput.identityRoles': attributes,
  serviceRoles: roles('services'),
  edgeRouterRoles: roles('edge-routers'),
  postureCheckRoles: roles('posture-checks'),
  roleFilter: roles('identities'),
  roleSemantic: picked('AllOf', 'AnyOf'),
  policyType: picked('Dial', 'Bind'),
  permissions: picked([], ['service.read'], ['identity', 'router.read'], ['admin_readonly']),
  certPem: ({ random }) => certificateText(random),
  certificate: ({ random }) => certificateText(random),
  clientCert: ({ random }) => certificateText(random),
  csr: ({ random }) => requestText(random),
  clientCsr: ({ random }) => requestText(random),
  certCsr: ({ random }) => requestText(random),
  serverCsr: ({ random }) => requestText(random),
  serverCertCsr: ({ random }) => requestText(random),
  clientCertCsr: ({ random }) => requestText(random),
  'authenticate.username': ({ random }) => someId(random, 'username'),
  'AuthenticateInput.username': ({ random }) => someId(random, 'username'),
  password: picked('a good password', 'another good password'),
  currentPassword: picked('a good password'),
  method: picked('updb', 'cert', 'ott', 'ottca', 'password', 'ext-jwt', 'erott', 'ca'),
  token: ({ random }) => someId(random, 'enrollment-token'),
  code: picked('123456', '000000', 'abc123'),
  expiresAt: picked(LATER),
  typeId: picked('OS', 'MFA', 'MAC', 'DOMAIN', 'PROCESS', 'PROCESS_MULTI'),
  domains: picked(['example.com'], ['a.example', 'b.example']),
  domain: picked('example.com'),
  macAddresses: picked(['00:11:22:33:44:55'], ['0011.2233.4455']),
  operatingSystems: picked([{ type: 'Linux', versions: ['>=5.0.0'] }], [{ type: 'Windows' }]),
  version: picked('6.1.0', '10.0.19045'),
  versions: picked(['>=5.0.0'], ['1.x || >=2.5.0 <3'], []),
  hashes: picked([], ['ab'.repeat(32)]),
  hash: picked('ab'.repeat(32)),
  signerFingerprint: picked('ab'.repeat(20)),
  signerFingerprints: picked([], ['ab'.repeat(20)]),
  path: picked('/bin/agent', 'C:\\agent.exe'),
  timeoutSeconds: picked(-1, 60),
  schema: picked(
    { type: 'object' },
    { type: 'object', properties: { port: { type: 'integer', maximum: 65_535 } } },
    { type: 'object', required: ['a'], properties: { a: { enum: [1, 'b'] } } },
    null,
  ),
  data: picked({}, { port: 80 }, { a: 'b' }, { address: 'localhost', protocol: 'tcp', port: 80 }),
  ctrlChanListeners: picked({}, { 'tls:router.example.com:6262': ['default'] }),
  serviceHostingCosts: ({ random }) => ({ [someId(random, 'services')]: random.between(0, 9) }),
  serviceHostingPrecedences: ({ random }) => ({ [someId(random, 'services')]: 'required' }),
  cost: ({ random }) => random.between(0, 65_535),
  terminatorStrategy: picked('smartrouting', 'weighted', 'random', 'sticky'),
  binding: picked('edge', 'transport'),
  address: picked('tcp:localhost:80'),
  maxIdleTimeMillis: picked(0, 60_000),
  // Nothing answers there: a fuzzed controller asks no other host.
  jwksEndpoint: picked('https://keys.invalid/keys.json'),
  externalAuthUrl: picked('https://login.example/'),
  claimsProperty: picked('sub', '/email'),
  minPasswordLength: picked(5, 12),
  maxAttempts: picked(0, 5),
  lockoutDurationMinutes: picked(0, 1),
  durationMinutes: picked(1, 5),
  duration: picked('1s', '5m'),
  channels: picked(['all'], ['selectPath', 'establishPath'], []),
  type: picked('Dial', 'Bind'),
  document: picked({}, IMPORTED),
  input: ({ unique: name }) => ({ name, encryptionRequired: true }),
  filter: ({ random, fields }) => filterText(random, fields),
  identityFilter: ({ random }) => filterText(random),
  serviceFilter: ({ random }) => filterText(random),
  sort: ({ random, fields }) => sortText(random, fields),
  limit: picked(1, 2, 10, 25, 0, -1, 500),
  first: picked(0, 1, 2, 5),
  last: picked(0, 1, 2),
  offset: picked(0, 1, 5),
  misses: picked(0, 1, 10),
  after: unique,
  before: unique,
  ifRevision: picked(1, 2),
  'If-Match': picked('"1"', '*', '"1", "2"'),
  nonce: unique,
  keyId: ({ random }) => someId(random, 'key'),
  kinds: ({ random }) => random.some(['UNUSED_ATTRIBUTE', 'DANGLING_ROLE'], 50),
  types: ({ random }) => random.some(['service', 'identity', 'servicePolicy'], 50),
};

/** A value that fits a shape, and where its name tells what is meant, most often that. */
export function valueFor(name: string, shape: Shape, title: string, making: Making): unknown {
  const { random, idsOf } = making;
  const isPlain = shape.kind === 'list' ? shape.of.kind !== 'object' : shape.kind !== 'object';
  if (isPlain && shape.kind !== 'enum') {
    if (name === 'id' && idsOf !== undefined) return someId(random, idsOf);
    const known = MAKERS[`${title}.${name}`] ?? MAKERS[name];
    if (known) return known(making, title);
    const kind = shape.kind === 'list' ? REFERENCE_LISTS[name] : REFERENCES[name];
    if (kind !== undefined) {
      return shape.kind === 'list'
        ? random.list(0, 2, () => someId(random, kind))
        : someId(random, kind);
    }
  }
  return anyOf(name, shape, title, making);
}

function anyOf(name: string, shape: Shape, title: string, making: Making): unknown {
  const { random, unique: text } = making;
  switch (shape.kind) {
    case 'text':
      return random.chance(50) ? text : random.pick(['a', 'some text', '']);
    case 'int':
      return random.between(0, 100);
    case 'float':
      return random.between(0, 1_000) / 8;
    case 'bool':
      return random.chance(50);
    case 'time':
      return random.pick([LATER, '2024-01-01T00:00:00Z']);
    case 'bytes':
      return Buffer.from(text).toString('base64');
    case 'map':
    case 'any':
      return tags(making, title);
    case 'enum':
      return random.pick(shape.values);
    case 'list':
      return random.list(0, 2, () => anyOf(name, shape.of, title, making));
    case 'object': {
      const whole = WHOLES[shape.title.replace(/Input$/, '')];
      if (whole && random.chance(WHOLE)) return whole(making, title);
      return membersOf(shape.members(), shape.title, making);
    }
  }
}

/** A list of one change. */
function changeList({ random, unique: name }: Making): object {
  return {
    changes: [
      random.pick<object>([
        { operation: 'create', type: 'service', input: { name, encryptionRequired: true } },
        { operation: 'delete', type: 'service', id: someId(random, 'services') },
        {
          ...{ operation: 'update', type: 'identity', id: someId(random, 'identities') },
          input: { roleAttributes: random.some(ATTRIBUTES, 40) },
        },
      ]),
    ],
  };
}

/** Inputs whose members depend on each other, by the title of their schema without `Input`. */
const WHOLES: Readonly<Record<string, Maker>> = {
  CreateAuthenticator: ({ random, unique: username }) => ({
    identityId: someId(random, 'identities'),
    method: 'updb',
    username,
    password: 'a good password',
  }),
  CreateEnrollment: ({ random, unique: username }) => ({
    identityId: someId(random, 'identities'),
    expiresAt: LATER,
    ...random.pick([{ method: 'ott' }, { method: 'updb', username }]),
  }),
  CreateExternalJwtSigner: ({ random, unique: name }) => ({
    ...{ name, issuer: name, audience: name, enabled: random.chance(50), kid: name },
    certPem: certificateText(random),
  }),
  CreatePostureCheck: ({ random, unique: name }) => ({
    name,
    roleAttributes: random.some(ATTRIBUTES, 40),
    ...random.pick<object>([
      { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }] },
      { typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true },
      { typeId: 'MAC', macAddresses: ['00:11:22:33:44:55'] },
      { typeId: 'DOMAIN', domains: ['example.com'] },
      { typeId: 'PROCESS', process: { osType: 'Linux', path: '/bin/a', hashes: [] } },
    ]),
  }),
  simulateChanges: changeList,
  applyChanges: changeList,
};
const WHOLE = 70;

const DEEPEST = 3;

/** All that is required, and some of what is not: the deeper, the less. */
function membersOf(
  members: readonly Member[],
  title: string,
  making: Making,
): Record<string, unknown> {
  const { random, depth = 0 } = making;
  const few = members.length > 12 ? 15 : 40;
  const chanceOf = ({ kind }: Shape): number =>
    kind === 'object' || kind === 'list' ? (depth < DEEPEST ? few : 0) : few;
  const below = { ...making, depth: depth + 1 };
  return Object.fromEntries(
    members
      .filter(({ shape, isRequired }) => isRequired || random.chance(chanceOf(shape)))
      .map(({ name, shape }) => [name, valueFor(name, shape, title, below)]),
  );
}
