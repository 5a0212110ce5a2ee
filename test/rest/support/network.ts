import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { InputVerb } from '../../../src/kernel/declare/attribute.js';
import type { Catalog } from '../../../src/kernel/declare/catalog.js';
import type { Resource } from '../../../src/kernel/declare/resource.js';
import type { Row } from '../../../src/base/row.js';
import { COMMON_NAME_CLAIM, PLAIN_PASSWORDS } from '../../support/auth-settings.js';
import type { TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import { certificatePem } from './certificates.js';
import { sampleInput, type SampleSource } from './samples.js';

/** Entities that are there from the start. */
const BUILT_IN: Readonly<Record<string, string>> = {
  IdentityType: 'Default',
  PostureCheckType: 'OS',
};

type Special = (network: SampleNetwork) => Row | Promise<Row>;

/** Times in which all of the tests run. */
const TIMES = {
  validFrom: '2020-01-01T00:00:00.000Z',
  validUntil: '2120-01-01T00:00:00.000Z',
};

/** Members whose values rules beyond the declaration decide; `undefined` leaves the member out. */
const SPECIAL: Readonly<Record<string, Special>> = {
  ExternalJwtSigner: async (network) => ({
    certPem: await certificatePem(network.unique()),
    jwksEndpoint: undefined,
    externalAuthUrl: 'https://login.example.com',
    enabled: true,
    adminClaims: [{ claim: 'groups', values: ['admins'], isAdmin: true, permissions: [] }],
    conditions: [{ claim: 'ref', values: ['main'] }],
    roleAttributePrefix: `${network.unique()}:`,
    // Clients leave the other way to name identities to its default.
    createsIdentities: false,
  }),
  AuthPolicy: (network) => {
    const signer = network.idOf('ExternalJwtSigner');
    return {
      primary: {
        cert: { allowed: true, allowExpiredCerts: true },
        extJwt: { allowed: true, allowedSigners: [signer] },
        updb: PLAIN_PASSWORDS,
      },
      secondary: { requireExtJwtSigner: signer, requireTotp: false },
    };
  },
  CertificateAuthority: async (network) => ({
    certPem: await certificatePem(network.unique()),
    externalIdClaim: COMMON_NAME_CLAIM,
  }),
  ConfigType: () => ({ schema: { type: 'object' } }),
  Config: () => ({ data: { address: { port: 80 } } }),
  PostureCheck: () => ({
    operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }],
    timeoutSeconds: 60,
  }),
  EdgeRouter: () => ROUTER,
  TransitRouter: () => ROUTER,
  ServicePolicy: () => ({
    ...TIMES,
    weeklyWindows: [{ days: ['MONDAY'], from: '08:00', to: '18:00' }],
    timeZone: 'Europe/Zurich',
  }),
  Service: () => ({ terminatorStrategy: 'smartrouting' }),
  Identity: () => ({ ...TIMES, type: 'Default', permissions: [], enrollment: { ott: true } }),
  Directory: (network) => ({ roleAttributePrefix: `${network.unique()}:` }),
  RoleAssignment: (network) => ({
    roleAttribute: network.unique(),
    activeFrom: '2020-01-01T00:00:00.000Z',
    activeUntil: '2120-01-01T00:00:00.000Z',
  }),
  Authenticator: async (network) => ({
    identityId: await network.create('Identity'),
    method: 'updb',
    certPem: undefined,
  }),
  Enrollment: async (network) => ({
    identityId: await network.create('Identity'),
    method: 'updb',
    caId: undefined,
  }),
};

const ROUTER = { configs: [], ctrlChanListeners: { 'tls:router.example.com:6262': ['default'] } };

/** One kind of posture check each, so that every shape of them is read. */
const POSTURE_CHECKS: readonly Row[] = [
  { typeId: 'DOMAIN', domains: ['example.com'] },
  { typeId: 'MAC', macAddresses: ['00:11:22:33:44:55'] },
  { typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true },
  { typeId: 'PROCESS', process: { osType: 'Linux', path: '/bin/a', hashes: [] } },
  {
    typeId: 'PROCESS_MULTI',
    semantic: 'AnyOf',
    processes: [{ osType: 'Linux', path: '/bin/a', hashes: [], signerFingerprints: [] }],
  },
];

/** A network in which every list has an entry: all policies are for `#all`. */
export class SampleNetwork implements SampleSource {
  readonly #ids = new Map(Object.entries(BUILT_IN));
  readonly #prefix = Math.random().toString(36).slice(2, 8);
  #count = 0;

  constructor(
    readonly controller: TestController,
    readonly catalog: Catalog,
  ) {}

  readonly unique = (): string => `sample-${this.#prefix}-${String(++this.#count)}`;

  readonly idOf = (resource: string): string => {
    const id = this.#ids.get(resource);
    if (id === undefined) return resource === 'AuthPolicy' ? 'default' : `no ${resource} yet`;
    return id;
  };

  /** One entity of each resource, in the order in which an import creates them. */
  async build(): Promise<this> {
    for (const resource of this.catalog.all()) {
      if (!this.#ids.has(resource.name)) {
        this.#ids.set(resource.name, await this.create(resource.name));
      }
    }
    for (const check of POSTURE_CHECKS) {
      await this.controller.create('posture-checks', { name: this.unique(), ...check });
    }
    await this.controller.create('authenticators', {
      identityId: this.idOf('Identity'),
      method: 'cert',
      certPem: await certificatePem(this.unique()),
    });
    await this.controller.create('identities', {
      name: this.unique(),
      type: 'Default',
      isAdmin: false,
      enrollment: { ottca: this.idOf('CertificateAuthority') },
    });
    return this;
  }

  /** A body that the verb accepts. */
  async input(resource: Resource, verb: InputVerb): Promise<Row> {
    const input = sampleInput(resource, verb, this);
    const special = (await SPECIAL[resource.name]?.(this)) ?? {};
    for (const [name, value] of Object.entries(special)) {
      if (value === undefined) Reflect.deleteProperty(input, name);
      else if (name in input) input[name] = value;
    }
    return input;
  }

  /** A new entity of any resource, as a client would make it where clients can. */
  async create(name: string): Promise<string> {
    const resource = this.catalog.get(name);
    if (resource.verbs.has('create')) {
      return this.controller.create(resource.options.path, await this.input(resource, 'create'));
    }
    const make = MADE_OTHERWISE[name];
    if (!make) throw new Error(`say in MADE_OTHERWISE how a ${name} comes to be`);
    return make(this);
  }

  /** A session of a new identity with these permissions. */
  async login(
    permissions: readonly string[] = [],
  ): Promise<{ id: string; token: string; identityId: string }> {
    const username = this.unique();
    const identityId = await this.controller.create('identities', {
      name: username,
      type: 'Default',
      isAdmin: false,
      permissions,
    });
    const password = 'a good password';
    await this.controller.create('authenticators', {
      identityId,
      method: 'updb',
      username,
      password,
    });
    const { body } = await this.controller.rest('POST', '/authenticate?method=password', {
      username,
      password,
    });
    return body.data;
  }

  /** The id of a new finding: a policy for everybody. */
  async finding(): Promise<string> {
    const policyId = await this.create('ServicePolicy');
    const path = '/findings?kinds=OVERBROAD_POLICY&limit=500';
    const { body } = await this.controller.rest('GET', path);
    const findings = body.data as { id: string; entities: { id: string }[] }[];
    return findings.find(({ entities }) => entities[0]?.id === policyId)?.id ?? '';
  }

  /** The id of a new finding that is muted. */
  async mutedFinding(): Promise<string> {
    const id = await this.finding();
    await this.controller.rest('POST', `/findings/${id}/mute`, { reason: 'known' });
    return id;
  }

  /** Somebody who may dial a service, and does. */
  async dial(): Promise<{ id: string; token: string; serviceId: string }> {
    const { token, serviceId } = await this.dialler();
    const headers = { 'zt-session': token };
    const { body } = await this.controller.rest(
      'POST',
      '/edge/client/v1/sessions',
      { serviceId, type: 'Dial' },
      headers,
    );
    return { id: (body.data as { id: string }).id, token, serviceId };
  }

  /** Somebody logged in who may dial a service that no posture check guards. */
  async dialler(): Promise<{ token: string; serviceId: string }> {
    const { token, identityId } = await this.login();
    const serviceId = this.idOf('Service');
    const roles = { semantic: 'AnyOf', name: this.unique(), identityRoles: [`@${identityId}`] };
    await this.controller.create('service-policies', {
      ...roles,
      type: 'Dial',
      serviceRoles: [`@${serviceId}`],
    });
    await this.controller.create('edge-router-policies', { ...roles, edgeRouterRoles: ['#all'] });
    await this.controller.create('service-edge-router-policies', {
      semantic: 'AnyOf',
      name: this.unique(),
      serviceRoles: [`@${serviceId}`],
      edgeRouterRoles: ['#all'],
    });
    return { token, serviceId };
  }

  /** The id of what the provider of a directory creates. */
  async provide(collection: 'Users' | 'Groups', body: Row): Promise<string> {
    const path = `/directories/${this.idOf('Directory')}/tokens`;
    const issued = await this.controller.rest('POST', path, { note: this.unique() });
    const { token } = issued.body.data as { token: string };
    const answer = await this.controller.send<Row>('POST', `/scim/v2/${collection}`, {
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${token}` },
    });
    await this.controller.rest(
      'DELETE',
      `/directory-tokens/${String((issued.body.data as Row).id)}`,
    );
    return String(answer.body.id);
  }

  async sql(text: string, values: readonly unknown[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.controller.databaseUrl });
    await client.connect();
    try {
      await client.query(text, [...values]);
    } finally {
      await client.end();
    }
  }
}

/** What no client can create under its own collection. */
const MADE_OTHERWISE: Readonly<Record<string, (network: SampleNetwork) => Promise<string>>> = {
  ApiSession: async (network) => (await network.login()).id,
  Session: async (network) => (await network.dial()).id,
  Change: async (network) => {
    const entityId = await network.create('Service');
    const query = new URLSearchParams({ filter: `entityId = "${entityId}"` });
    const { value } = await eventually(async () => {
      const { body } = await network.controller.rest('GET', `/changes?${String(query)}`);
      const [found] = body.data as { id: string }[];
      if (!found) throw new Error('it is not settled yet');
      return found.id;
    });
    return value;
  },
  ApiSessionCertificate: async (network) => {
    const id = network.unique();
    await network.sql(
      `insert into api_session_certificate (id, created_at, updated_at, api_session_id, certificate, fingerprint, subject, valid_from, valid_to)
       values ($1, now(), now(), $2, $3, 'abcdef', 'CN=sample', now(), now())`,
      [id, await network.create('ApiSession'), await certificatePem(id)],
    );
    return id;
  },
  DirectoryToken: async (network) => {
    const path = `/directories/${network.idOf('Directory')}/tokens`;
    const { body } = await network.controller.rest('POST', path, { note: network.unique() });
    return (body.data as { id: string }).id;
  },
  DirectoryUser: (network) => network.provide('Users', { userName: network.unique() }),
  DirectoryGroup: (network) => network.provide('Groups', { displayName: network.unique() }),
  AccessRequest: async (network) => {
    const id = network.unique();
    await network.sql(
      `insert into access_request (id, created_at, updated_at, offer_id, offer_name, identity_id, identity_name,
         role_attribute, approval, second_factor, reason, requested_minutes, granted_minutes, granted_until, decision,
         decided_by_id, decided_by_name, decided_at, comment, ended_by_id, ended_at,
         reviewed_by_id, reviewed_at)
       values ($1, now(), now(), $2, 'offer', $3, 'requester', 'staff', 'REQUIRED', 'NONE', 'an outage', 30, 30, now(),
         'REVOKED', $3, 'approver', now(), 'enough', $3, now(), $3, now())`,
      [id, network.idOf('AccessOffer'), network.idOf('Identity')],
    );
    return id;
  },
  AccessReview: (network) =>
    network.controller.create('access-reviews', { name: network.unique() }),
  ControllerSetting: async (network) => {
    const controllerId = await network.create('Controller');
    return network.controller.create('controller-settings', { controllerId });
  },
  Revocation: (network) =>
    network.controller.create('revocations', { id: randomUUID(), type: 'JTI' }),
  FindingMute: async (network) => {
    const query = new URLSearchParams({ filter: `findingId = "${await network.mutedFinding()}"` });
    const { body } = await network.controller.rest('GET', `/finding-mutes?${String(query)}`);
    return (body.data as { id: string }[])[0]?.id ?? '';
  },
  Link: async (network) => {
    const id = network.unique();
    const [source, dest] = [await network.create('EdgeRouter'), await network.create('EdgeRouter')];
    await network.sql(
      `insert into link (id, created_at, updated_at, source_router_id, dest_router_id, protocol, dial_address, iteration,
         source_latency, dest_latency, connections)
       values ($1, now(), now(), $2, $3, 'tls', 'tls:router.example.com:10080', 1, 65000, 65000,
         '[{"type": "single", "source": "10.0.0.1:5000", "dest": "10.0.0.2:10080"}]')`,
      [id, source, dest],
    );
    return id;
  },
  Circuit: async (network) => {
    const id = network.unique();
    const terminatorId = await network.create('Terminator');
    const { id: sessionId, serviceId } = await network.dial();
    const routers = [await network.create('EdgeRouter'), await network.create('EdgeRouter')];
    await network.sql(
      `insert into circuit (id, created_at, session_id, service_id, identity_id, host_id, terminator_id, router_ids,
         link_ids, ingress, egress, binding)
       values ($1, now(), $2, $3, $4, $4, $5, $6, '{"some-link"}', 'a', 'b', 'edge')`,
      [id, sessionId, serviceId, network.idOf('Identity'), terminatorId, routers],
    );
    return id;
  },
  AuthenticationSigner: (network) => network.create('ExternalJwtSigner'),
  ClientEdgeRouter: async (network) => {
    const id = await network.create('EdgeRouter');
    await network.sql('update router set is_verified = true, fingerprint = id where id = $1', [id]);
    return id;
  },
  Router: (network) => network.create('EdgeRouter'),
  ClientTerminator: (network) => network.create('Terminator'),
  Controller: async (network) => {
    const id = network.unique();
    await network.sql(
      `insert into controller (id, created_at, updated_at, name, ctrl_address, cert_pem, fingerprint, api_addresses, last_joined_at, last_seen_at)
       values ($1, now(), now(), $1, 'tls:localhost:6262', $2, 'abcdef',
         '{"edge-client": [{"url": "https://localhost:1280/edge/client/v1", "version": "v1"}]}', now(), now())`,
      [id, await certificatePem(id)],
    );
    return id;
  },
};
