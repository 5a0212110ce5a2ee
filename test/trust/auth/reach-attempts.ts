import type { Row } from '../../../src/base/row.js';
import { authPolicy } from './client.js';
import { PASSWORD, showing } from './intruder.js';
import { create, each, remove, update, type AttackedWorld, type Attempt } from './reach-attempt.js';
import { usernameOf } from './reach-world.js';

/** Everything that an intruder tries. */

const LATER = '2999-01-01T00:00:00Z';

/** JWTs of the signer enroll whom they name, with the role attributes that they say. */
const ENROLLING = { enrollToTokenEnabled: true, enrollAttributeClaimsSelector: '/groups' };

const UPDB = '{ updb { token jwt } ott { token } ottca { token } }';

/** Whatever shows something; each with the people and things that are known by id. */
const READS = [
  `{ identities(first: 500) { nodes { id externalId enrollment ${UPDB} enrollments { nodes { token jwt } } } } }`,
  '{ enrollments(first: 500) { nodes { id token jwt identityId } } }',
  '{ apiSessions(first: 500) { nodes { id token } } }',
  '{ sessions(first: 500) { nodes { id token } } }',
  '{ edgeRouters(first: 500) { nodes { id enrollmentToken enrollmentJwt } } }',
  '{ transitRouters(first: 500) { nodes { id enrollmentToken } } }',
  '{ certificateAuthorities(first: 500) { nodes { id verificationToken } } }',
  '{ changes(first: 500) { nodes { entityId before after apiSessionId } } }',
  '{ authenticators(first: 500) { nodes { id certPem } } }',
];

const readAll: Attempt = async ({ intruder }) => {
  for (const document of READS) await intruder.ask(document);
};

const readEach: Attempt = async ({ intruder, ids }) => {
  for (const id of [ids.plain, ids.invited, ids.better, ids.administrator]) {
    await intruder.ask(
      `query ($id: ID!) { currentIdentity { id enrollment ${UPDB} } identity(id: $id) { enrollment ${UPDB} } }`,
      { id },
    );
  }
  for (const id of [ids.router, ids.newRouter]) {
    await intruder.ask('query ($id: ID!) { edgeRouter(id: $id) { enrollmentToken } }', { id });
  }
};

/** An authority of its own, proved to be its own. */
const ownAuthority: Attempt = async ({ intruder, keys, name }) => {
  const made = await intruder.ask(
    `mutation ($input: CreateCertificateAuthorityInput!) {
      createCertificateAuthority(input: $input) { id verificationToken } }`,
    {
      input: {
        name: `authority of the intruder in the ${name}`,
        certPem: keys.authority.cert.toString(),
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isOttCaEnrollmentEnabled: true,
        identityRoles: [`dialers ${name}`],
        externalIdClaim: { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE', index: 0 },
      },
    },
  );
  const authority = made?.createCertificateAuthority as Row | undefined;
  if (!authority) return;
  const { clientChain } = await showing(keys, String(authority.verificationToken));
  const der = clientChain()[0]?.toString('base64') ?? '';
  await intruder.ask(
    'mutation ($id: ID!, $c: String!) { verifyCertificateAuthority(id: $id, certificate: $c) }',
    {
      id: authority.id,
      c: `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`,
    },
  );
};

const enrollments: Attempt = async ({ intruder, ids, name }) => {
  for (const who of ['plain', 'better', 'administrator'] as const) {
    await intruder.ask(
      `mutation ($input: CreateEnrollmentInput!) { createEnrollment(input: $input) { token jwt } }`,
      {
        input: {
          identityId: ids[who],
          method: 'updb',
          username: usernameOf(name, who),
          expiresAt: LATER,
        },
      },
    );
  }
};

const authenticators: Attempt = async ({ intruder, ids, name }) => {
  for (const who of ['plain', 'better', 'administrator'] as const) {
    await intruder.ask(
      'mutation ($input: CreateAuthenticatorInput!) { createAuthenticator(input: $input) { id } }',
      {
        input: {
          identityId: ids[who],
          method: 'updb',
          username: usernameOf(name, who),
          password: PASSWORD,
        },
      },
    );
  }
};

const ownRights: Attempt = async ({ intruder, ids }) => {
  for (const input of [{ isAdmin: true }, { permissions: ['identity', 'service-policy'] }]) {
    await intruder.ask(
      'mutation ($id: ID!, $input: UpdateIdentityInput!) { updateIdentity(id: $id, input: $input) { id } }',
      { id: ids.intruder, input },
    );
  }
};

const newIdentity = (more: (world: AttackedWorld) => Row): Attempt =>
  create(
    'Identity',
    (world) => ({
      name: `made by the intruder in the ${world.name}`,
      type: 'Default',
      isAdmin: false,
      roleAttributes: [`dialers ${world.name}`],
      enrollment: { updb: usernameOf(world.name, 'intruder') },
      ...more(world),
    }),
    `id enrollment ${UPDB}`,
  );

const policyFor = (type: string) => (world: AttackedWorld) => ({
  name: `${type} of the intruder in the ${world.name}`,
  type,
  semantic: 'AnyOf',
  identityRoles: [`@${world.ids.intruder}`],
  serviceRoles: [`@${world.ids.service}`],
});

/** A review whose decisions take access away, if they did. */
const review: Attempt = async ({ intruder, ids, name }) => {
  await intruder.ask('mutation ($name: String!) { startAccessReview(name: $name) { id } }', {
    name: `review of the intruder in the ${name}`,
  });
  const line = { identityId: ids.plain, serviceId: ids.service, type: 'Dial' };
  await intruder.ask(
    `mutation ($id: ID!, $decisions: [LineDecisionInput!]!) {
      decideAccessReview(id: $id, decisions: $decisions) { id } finishAccessReview(id: $id) { id } }`,
    { id: ids.review, decisions: [{ ...line, decision: 'REVOKE' }] },
  );
};

/** What can lead somewhere. */
const SEIZING: readonly Attempt[] = [
  readAll,
  readEach,
  ownRights,
  newIdentity(() => ({ isAdmin: true })),
  newIdentity(() => ({ permissions: ['identity'] })),
  newIdentity(() => ({})),
  update(
    'Identity',
    ({ ids }) => ids.intruder,
    ({ name }) => ({ roleAttributes: [`dialers ${name}`] }),
  ),
  update(
    'Identity',
    ({ ids }) => ids.better,
    ({ newcomer }) => ({ externalId: newcomer }),
  ),
  update(
    'Identity',
    ({ ids }) => ids.administrator,
    ({ newcomer }) => ({ externalId: newcomer }),
  ),
  enrollments,
  each(
    `mutation ($id: ID!) { refreshEnrollment(id: $id, expiresAt: "${LATER}") { token jwt } }`,
    'enrollment',
  ),
  authenticators,
  create('ExternalJwtSigner', ({ keys, name }) => ({
    ...keys.signer.settings,
    ...ENROLLING,
    trustedForManagement: undefined,
    tags: { of: name },
  })),
  create('ExternalJwtSigner', ({ keys }) => ({
    ...keys.signer.settings,
    trustedForManagement: true,
  })),
  update(
    'ExternalJwtSigner',
    ({ ids }) => ids.signer,
    ({ keys }) => {
      const { issuer, certPem, kid } = keys.signer.settings;
      return { issuer, certPem, kid, ...ENROLLING };
    },
  ),
  update(
    'ExternalJwtSigner',
    ({ ids }) => ids.signer,
    () => ({ trustedForManagement: true }),
  ),
  ownAuthority,
  update(
    'CertificateAuthority',
    ({ ids }) => ids.authority,
    () => ({
      externalIdClaim: { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE', index: 0 },
    }),
  ),
  update(
    'AuthPolicy',
    () => 'default',
    () => ({ secondary: { requireTotp: false } }),
  ),
  create('ServicePolicy', policyFor('Dial')),
  create('ServicePolicy', policyFor('Bind')),
  update(
    'ServicePolicy',
    ({ ids }) => ids.dial,
    ({ ids, name }) => ({
      identityRoles: [`#dialers ${name}`, `@${ids.intruder}`],
    }),
  ),
  update(
    'Service',
    ({ ids }) => ids.service,
    ({ name }) => ({
      roleAttributes: [`closed ${name}`, `open ${name}`],
    }),
  ),
  update(
    'PostureCheck',
    ({ ids }) => ids.check,
    () => ({
      typeId: 'DOMAIN',
      roleAttributes: [],
    }),
  ),
  create('AuthPolicy', ({ name }) => ({
    ...authPolicy({}),
    name: `policy of the intruder in the ${name}`,
  })),
  create('ConfigType', ({ name }) => ({ name: `type of the intruder in the ${name}` })),
  update(
    'ConfigType',
    ({ ids }) => ids.configType,
    () => ({ schema: null }),
  ),
  create('Config', ({ ids, name }) => ({
    name: `config of the intruder in the ${name}`,
    configTypeId: ids.configType,
    data: { address: 'intruder' },
  })),
  create('Service', ({ name }) => ({
    name: `service of the intruder in the ${name}`,
    encryptionRequired: true,
  })),
  create(
    'EdgeRouter',
    ({ name }) => ({ name: `router of the intruder in the ${name}` }),
    'id enrollmentToken',
  ),
  each('mutation ($id: ID!) { reEnrollEdgeRouter(id: $id) { enrollmentToken } }', 'newRouter'),
  update(
    'Terminator',
    ({ ids }) => ids.terminator,
    () => ({ address: 'intruder' }),
  ),
  create('Terminator', ({ ids }) => ({
    service: ids.service,
    router: ids.router,
    binding: 'transport',
    address: 'intruder',
  })),
  update(
    'Config',
    ({ ids }) => ids.config,
    () => ({ data: { address: 'intruder' } }),
  ),
  update(
    'ServicePolicy',
    ({ ids }) => ids.guardedDial,
    ({ ids }) => ({
      type: 'Bind',
      identityRoles: [`@${ids.intruder}`],
      serviceRoles: [`@${ids.service}`],
      postureCheckRoles: [],
    }),
  ),
  create('EdgeRouterPolicy', ({ ids, name }) => ({
    name: `routers of the intruder in the ${name}`,
    semantic: 'AnyOf',
    identityRoles: [`@${ids.intruder}`],
    edgeRouterRoles: [`@${ids.newRouter}`],
  })),
  create('ServiceEdgeRouterPolicy', ({ ids, name }) => ({
    name: `services of the intruder in the ${name}`,
    semantic: 'AnyOf',
    serviceRoles: [`@${ids.service}`],
    edgeRouterRoles: [`@${ids.newRouter}`],
  })),
];

/** What takes something away from others. */
const STOPPING: readonly Attempt[] = [
  update(
    'PostureCheck',
    ({ ids }) => ids.check,
    ({ name }) => ({ typeId: 'DOMAIN', roleAttributes: [`more checks ${name}`] }),
  ),
  update(
    'AuthPolicy',
    ({ ids }) => ids.policy,
    () => {
      const { primary } = authPolicy({ updb: { allowed: false } }) as { primary: Row };
      return { primary };
    },
  ),
  create('PostureCheck', ({ name }) => ({
    name: `check of the intruder in the ${name}`,
    typeId: 'DOMAIN',
    domains: ['nowhere.example'],
    roleAttributes: [`more checks ${name}`],
  })),
  update(
    'CertificateAuthority',
    ({ ids }) => ids.authority,
    () => ({ isAuthEnabled: false }),
  ),
  update(
    'ExternalJwtSigner',
    ({ ids }) => ids.signer,
    () => ({ enabled: false }),
  ),
  update(
    'EdgeRouter',
    ({ ids }) => ids.router,
    () => ({ disabled: true }),
  ),
  update(
    'ServicePolicy',
    ({ ids }) => ids.dial,
    () => ({ identityRoles: [] }),
  ),
  update(
    'EdgeRouterPolicy',
    ({ ids }) => ids.routerPolicy,
    () => ({ identityRoles: [] }),
  ),
  update(
    'ServiceEdgeRouterPolicy',
    ({ ids }) => ids.serviceRouterPolicy,
    () => ({
      serviceRoles: [],
    }),
  ),
  update(
    'Service',
    ({ ids }) => ids.service,
    () => ({ roleAttributes: [] }),
  ),
  review,
  update(
    'AccessReview',
    ({ ids }) => ids.review,
    () => ({ description: 'of the intruder' }),
  ),
  each('mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 0) { id } }', 'plain'),
  each('mutation ($id: ID!) { approveIdentity(id: $id) { id } }', 'plain'),
  each('mutation ($id: ID!) { updateLink(id: $id, input: { down: true }) { id } }', 'link'),
  remove('ApiSession', 'session'),
  remove('Enrollment', 'enrollment'),
  remove('Terminator', 'terminator'),
  remove('ServicePolicy', 'dial', 'guardedDial'),
  remove('EdgeRouterPolicy', 'routerPolicy'),
  remove('ServiceEdgeRouterPolicy', 'serviceRouterPolicy'),
  remove('Service', 'service'),
  remove('EdgeRouter', 'router'),
  remove('PostureCheck', 'check'),
  remove('Config', 'config'),
  remove('ConfigType', 'configType'),
  remove('AccessReview', 'review'),
  remove('ExternalJwtSigner', 'signer'),
  remove('CertificateAuthority', 'authority'),
  remove('AuthPolicy', 'policy'),
  remove('Identity', 'plain', 'better', 'administrator'),
];

/** Everything that can be tried, and again: each attempt comes after every other one. */
export async function tryEverything(world: AttackedWorld): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    for (const attempt of SEIZING) await attempt(world);
  }
}

export async function stopEverything(world: AttackedWorld): Promise<void> {
  for (const attempt of STOPPING) await attempt(world);
}
