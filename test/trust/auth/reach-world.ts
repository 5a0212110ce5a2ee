import type { RequestContext } from '../../../src/kernel/request/context.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { callerOf, type InProcess } from '../../support/in-process.js';
import { authPolicy } from './client.js';
import { readingOf } from './reach-readings.js';
import { bearing, Intruder, newOwnKeys, PASSWORD, showing, type OwnKeys } from './intruder.js';

/**
 * A small network with something in it for every kind of attack, one for each intruder, and what the
 * intruder has reached in it.
 */

/** What can be reached beside reading and stopping, in the words of docs/permissions.md. */
type Reach = 'joins' | 'opens' | 'redirects' | 'routers';

type Ids = Readonly<
  Record<
    | 'intruder'
    | 'plain'
    | 'invited'
    | 'better'
    | 'administrator'
    | 'policy'
    | 'config'
    | 'configType'
    | 'review'
    | 'service'
    | 'guarded'
    | 'open'
    | 'check'
    | 'router'
    | 'newRouter'
    | 'terminator'
    | 'link'
    | 'dial'
    | 'guardedDial'
    | 'routerPolicy'
    | 'serviceRouterPolicy'
    | 'signer'
    | 'authority'
    | 'session'
    | 'enrollment',
    string
  >
>;

export class ReachWorld {
  private constructor(
    readonly controller: InProcess,
    readonly name: string,
    readonly ids: Ids,
    readonly keys: OwnKeys,
    readonly intruder: Intruder,
    private readonly before: string,
  ) {}

  static async create(controller: InProcess, permission: string): Promise<ReachWorld> {
    const name = `world-of-${permission}`;
    const keys = await newOwnKeys(name);
    const ids = await newNetwork(controller, name, permission);
    const { id } = await controller.openSession(ids.intruder);
    const intruder = new Intruder(controller, ids.intruder, permission, id);
    return new ReachWorld(controller, name, ids, keys, intruder, await working(controller, ids));
  }

  /** Nobody whom the network knows; usable as an id. */
  get newcomer(): string {
    return `newcomer-${this.intruder.permission}`;
  }

  /** External ids that the intruder knows. */
  externalId(who: 'plain' | 'better' | 'administrator'): string {
    return externalIdOf(this.name, who);
  }

  async reached(): Promise<Reach[]> {
    const logins = await this.logins();
    const reached: Record<Reach, boolean> = {
      joins: logins.some(({ identityId }) =>
        [this.ids.plain, this.ids.invited].includes(identityId),
      ),
      opens: await this.opens(),
      redirects: await this.redirects(),
      routers: await this.holdsRouterToken(),
    };
    return (Object.keys(reached) as Reach[]).filter((reach) => reached[reach]);
  }

  /** Whether anything of others works less than before. */
  async hasStopped(): Promise<boolean> {
    return (await working(this.controller, this.ids)) !== this.before;
  }

  /** What must never be: rights that the intruder was not given. */
  async excess(): Promise<string[]> {
    const { ids, intruder, controller } = this;
    const logins = await this.logins();
    const names = logins
      .filter(
        ({ ctx }) => ctx.caller?.isAdmin === true || (ctx.caller?.permissions ?? []).length > 0,
      )
      .map(({ identityId }) => `logs in as ${identityId}`);
    const [row] = await controller.parts.store.query(
      sql<{
        is_admin: boolean;
        permissions: string[];
      }>`select is_admin, permissions from identity where id = ${ids.intruder}::text`,
    );
    const own = JSON.stringify([row?.is_admin, row?.permissions]);
    if (own !== JSON.stringify([false, [intruder.permission]])) names.push(`rights: ${own}`);
    const held = await controller.parts.store.query(
      sql<{
        identity_id: string;
      }>`select identity_id from api_session where token = any(${[...intruder.tokens]}::text[])
        and identity_id in (${ids.better}::text, ${ids.administrator}::text)`,
    );
    return [...names, ...held.map(({ identity_id }) => `holds a session of ${identity_id}`)];
  }

  #logins: Awaited<ReturnType<ReachWorld['tryLogins']>> | undefined;

  /** Every login that the intruder can bring about with what it knows and holds. */
  private async logins() {
    return (this.#logins ??= await this.tryLogins());
  }

  private async tryLogins(): Promise<{ identityId: string; ctx: RequestContext }[]> {
    const { intruder, ids, keys } = this;
    const external = (['plain', 'better', 'administrator'] as const).map((w) => this.externalId(w));
    const subjects = [
      ...[ids.plain, ids.invited, ids.better, ids.administrator],
      ...external,
      this.newcomer,
    ];
    const found = [];
    await this.joinByTokens();
    for (const subject of subjects) {
      const jwt = bearing(await keys.signer.jwt(subject, { groups: [`dialers ${this.name}`] }));
      const certificate = await showing(keys, subject);
      await this.join('token', {}, jwt);
      await this.join('ca', {}, certificate);
      found.push(await intruder.logIn('ext-jwt', {}, jwt));
      found.push(await intruder.logIn('cert', {}, certificate));
    }
    for (const who of ['plain', 'invited', 'better', 'administrator', 'intruder']) {
      const username = usernameOf(this.name, who);
      found.push(await intruder.logIn('password', { username, password: PASSWORD }));
    }
    return found.filter((login) => login !== undefined);
  }

  private async joinByTokens(): Promise<void> {
    for (const token of this.intruder.tokens) {
      await this.join('updb', { token, password: PASSWORD });
    }
  }

  private async join(
    method: string,
    input: Row,
    credentials?: RequestContext['credentials'],
  ): Promise<void> {
    const { contexts } = this.controller.parts;
    await this.intruder.askAs(
      contexts.make('', undefined, credentials ? { credentials } : {}),
      'mutation ($method: String!, $input: EnrollInput!) { enroll(method: $method, input: $input) { cert } }',
      { method, input },
    );
  }

  async sees(): Promise<boolean> {
    const { intruder, ids } = this;
    const [entity = ''] = intruder.permission.split('.');
    const document = readingOf(this.controller.schema, entity, ids);
    return (await intruder.ask(document)) !== null;
  }

  /** As itself, or as somebody whom it has made. */
  async opens(): Promise<boolean> {
    const people = [this.ids.plain, this.ids.invited];
    const made = (await this.logins()).filter(({ identityId }) => !people.includes(identityId));
    for (const ctx of [this.intruder.ctx(), ...made.map((login) => login.ctx)]) {
      for (const id of [this.ids.service, this.ids.guarded]) {
        const opened = await this.intruder.askAs(
          ctx,
          'mutation ($id: ID!) { openSession(input: { serviceId: $id }) { id } }',
          { id },
        );
        if (opened) return true;
      }
    }
    return false;
  }

  /** Whether traffic for the service can end where the intruder wants. */
  private async redirects(): Promise<boolean> {
    const { service, config, terminator } = this.ids;
    const bound = await this.intruder.ask(
      'mutation ($id: ID!) { openSession(input: { serviceId: $id, type: "Bind" }) { id } }',
      { id: service },
    );
    const rows = await this.controller.parts.store.query(
      sql`select id from terminator where service_id = ${service}::text and (address = 'intruder' or id <> ${terminator}::text)
        union select id from config where id = ${config}::text and data ->> 'address' = 'intruder'`,
    );
    return bound !== null || rows.length > 0;
  }

  private async holdsRouterToken(): Promise<boolean> {
    const rows = await this.controller.parts.store.query(
      sql<{
        id: string;
      }>`select id from enrollment where token = any(${[...this.intruder.tokens]}::text[])
        and coalesce(edge_router_id, transit_router_id) is not null`,
    );
    return rows.length > 0;
  }
}

const externalIdOf = (name: string, who: string): string => `${who} in the ${name}`;

export const usernameOf = (name: string, who: string): string => `${who}-${name}`;

/** How far the people and things of a network can work; equal texts mean that nothing was taken away. */
async function working(controller: InProcess, ids: Ids): Promise<string> {
  const { store } = controller.parts;
  const rows = await store.query(
    sql`select
      (select count(*)::int from api_session where id = ${ids.session}::text) as session,
      (select count(*)::int from enrollment where id = ${ids.enrollment}::text and expires_at > now()) as enrollment,
      (select count(*)::int from authenticator where identity_id = ${ids.plain}::text and method = 'cert') as authenticators,
      (select disabled_at from identity where id = ${ids.plain}::text) as disabled,
      (select "primary" -> 'updb' ->> 'allowed' from auth_policy where id = ${ids.policy}::text) as allowed,
      (select is_auth_enabled from certificate_authority where id = ${ids.authority}::text) as authority,
      (select enabled from external_jwt_signer where id = ${ids.signer}::text) as signer,
      (select disabled from router where id = ${ids.router}::text) as router,
      (select count(*)::int from terminator where id = ${ids.terminator}::text) as terminators,
      (select down from link where id = ${ids.link}::text) as link`,
  );
  const caller = { ...callerOf(ids.plain), apiSessionId: ids.session };
  const { data, errors } = await controller.graph(
    'mutation ($id: ID!) { openSession(input: { serviceId: $id }) { edgeRouters { routerId } } }',
    { id: ids.service },
    controller.ctx(caller),
  );
  const { edgeRouters = [] } = (data?.openSession ?? {}) as { edgeRouters?: unknown[] };
  return JSON.stringify([rows, edgeRouters.length > 0, errors.map((error) => error?.code)]);
}

async function newNetwork(controller: InProcess, name: string, permission: string): Promise<Ids> {
  const create = (kind: string, input: Row, suffix = ''): Promise<string> =>
    controller.create(kind, { name: `${name}${suffix}`, ...input });
  const policy = await create('AuthPolicy', authPolicy({}));
  const person = (who: string, more: Row = {}): Promise<string> =>
    create(
      'Identity',
      { type: 'Default', isAdmin: false, authPolicyId: policy, ...more },
      ` ${who}`,
    );
  const intruder = await person('intruder', {
    permissions: [permission],
    roleAttributes: [`weak ${name}`],
  });
  const plain = await person('plain', {
    externalId: externalIdOf(name, 'plain'),
    roleAttributes: [`dialers ${name}`],
  });
  await controller.create('Authenticator', {
    identityId: plain,
    method: 'cert',
    certPem: (await newOwnKeys(`${name}-plain`)).authority.cert.toString(),
  });
  const invited = await person('invited', { enrollment: { updb: usernameOf(name, 'invited') } });
  const [row] = await controller.parts.store.query(
    sql<{ id: string }>`select id from enrollment where identity_id = ${invited}::text`,
  );
  const better = await person('better', {
    authPolicyId: 'default',
    externalId: externalIdOf(name, 'better'),
    permissions: permission === 'change' ? ['config'] : ['change', 'ca.read'],
    enrollment: { updb: usernameOf(name, 'better') },
  });
  const administrator = await person('administrator', {
    authPolicyId: 'default',
    isAdmin: true,
    externalId: externalIdOf(name, 'administrator'),
    enrollment: { updb: usernameOf(name, 'administrator') },
  });
  const outside = await newOwnKeys(`${name}-outside`);
  const services = await newServices(create, name);
  return {
    intruder,
    plain,
    invited,
    better,
    administrator,
    policy,
    enrollment: String(row?.id),
    ...(await newAuthorities(create, outside)),
    ...services,
    link: await newLink(controller, services),
    review: await newReview(controller, name),
    session: (await controller.openSession(plain)).id,
  };
}

/** A link between both routers, as they would report it. */
async function newLink(
  { parts }: InProcess,
  { router, newRouter }: Pick<Ids, 'router' | 'newRouter'>,
): Promise<string> {
  const id = `link of ${router}`;
  await parts.store.query(
    sql`insert into link (id, created_at, updated_at, source_router_id, dest_router_id, protocol, dial_address,
        iteration, source_latency, dest_latency, connections)
      values (${id}, now(), now(), ${router}, ${newRouter}, 'tls', 'tls:router.example.com:10080', 1, 0, 0, '[]')`,
  );
  return id;
}

/** A review of who may dial the service. */
async function newReview(controller: InProcess, name: string): Promise<string> {
  const { startAccessReview } = await controller.read<{ startAccessReview: { id: string } }>(
    `mutation ($name: String!, $services: String!) {
      startAccessReview(name: $name, serviceFilter: $services) { id } }`,
    { name, services: `name = "${name}"` },
  );
  return startAccessReview.id;
}

type Create = (kind: string, input: Row, suffix?: string) => Promise<string>;

async function newAuthorities(create: Create, { signer, authority }: OwnKeys) {
  return {
    signer: await create('ExternalJwtSigner', signer.settings),
    authority: await create('CertificateAuthority', {
      certPem: authority.cert.toString(),
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: false,
      isOttCaEnrollmentEnabled: true,
      identityRoles: [],
    }),
  };
}

/**
 * A service that those with `dialers` may dial, one with `guarded` that those with `weak` may dial
 * whose device passes a check, and one with `open` that those with `open` may dial.
 */
async function newServices(create: Create, name: string) {
  const configType = await create('ConfigType', {});
  const config = await create('Config', { configTypeId: configType, data: { address: 'home' } });
  const encrypted = { encryptionRequired: true };
  const roles = { semantic: 'AnyOf' };
  const service = await create('Service', {
    ...encrypted,
    configs: [config],
    roleAttributes: [`closed ${name}`],
  });
  const guarded = await create(
    'Service',
    { ...encrypted, roleAttributes: [`guarded ${name}`] },
    ' guarded',
  );
  const open = await create('Service', { ...encrypted, roleAttributes: [`open ${name}`] }, ' open');
  const check = await create('PostureCheck', {
    typeId: 'DOMAIN',
    domains: ['example.com'],
    roleAttributes: [`checks ${name}`],
  });
  const router = await create('EdgeRouter', {});
  const newRouter = await create('EdgeRouter', {}, ' new');
  const dial = await create('ServicePolicy', {
    ...roles,
    type: 'Dial',
    identityRoles: [`#dialers ${name}`],
    serviceRoles: [`#closed ${name}`],
    postureCheckRoles: [`#more checks ${name}`],
  });
  const guardedDial = await create(
    'ServicePolicy',
    {
      ...roles,
      type: 'Dial',
      identityRoles: [`#weak ${name}`],
      serviceRoles: [`#guarded ${name}`],
      postureCheckRoles: [`#checks ${name}`],
    },
    ' guarded',
  );
  await create(
    'ServicePolicy',
    {
      ...roles,
      type: 'Dial',
      identityRoles: [`#weak ${name}`],
      serviceRoles: [`#open ${name}`],
    },
    ' open',
  );
  const terminator = await create('Terminator', {
    service,
    router,
    binding: 'transport',
    address: 'home',
  });
  const routerPolicy = await create('EdgeRouterPolicy', {
    ...roles,
    identityRoles: ['#all'],
    edgeRouterRoles: [`@${router}`],
  });
  const serviceRouterPolicy = await create('ServiceEdgeRouterPolicy', {
    ...roles,
    serviceRoles: [`@${service}`, `@${guarded}`, `@${open}`],
    edgeRouterRoles: [`@${router}`],
  });
  return {
    config,
    configType,
    service,
    guarded,
    open,
    check,
    router,
    newRouter,
    terminator,
    dial,
    guardedDial,
    routerPolicy,
    serviceRouterPolicy,
  };
}
