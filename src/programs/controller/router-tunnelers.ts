import { parse } from 'graphql';
import type { ApiSessions } from '../../trust/auth/index.js';
import { identities } from '../../data/rows/identity/index.js';
import {
  TunnelerRefusal,
  type TunnelerIdentity,
  type TunnelerLogin,
  type TunnelerPort,
  type TunnelerSession,
} from '../../network/control/index.js';
import { ApiError } from '../../base/errors.js';
import { apiSessions } from '../../data/rows/api-session/index.js';
import { configTypes } from '../../data/rows/config/index.js';
import { routers } from '../../data/rows/router/index.js';
import {
  apiErrorOf,
  type CompiledOperation,
  type ContextFactory,
  type Executor,
} from '../../graph/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import { originOfController } from '../../kernel/write/write.js';

export interface RouterTunnelersOptions {
  readonly contexts: ContextFactory;
  readonly executor: Executor;
  readonly sessions: ApiSessions;
  readonly store: Store;
  readonly now: () => Date;
}

/** The authenticator of sessions that the controller opens itself. */
const INTERNAL = 'internal';
const ALL_TYPES = ['all'];

const IDENTITY =
  parse(`query { currentIdentity { id name defaultHostingPrecedence defaultHostingCost appData
  serviceHostingPrecedences serviceHostingCosts } }`);
const SERVICES = parse(`query { currentIdentity { services(filter: "limit none") {
  nodes { id name permissions encryptionRequired config tags } } } }`);
const SERVICE = parse(`query ($where: ServiceWhere!) { currentIdentity { services(where: $where) {
  nodes { id } } } }`);
const OPEN_SESSION = parse(
  'mutation ($input: OpenSessionInput!) { openSession(input: $input) { id token } }',
);

type Operation = 'identity' | 'services' | 'service' | 'openSession';

interface ServiceNode {
  readonly id: string;
  readonly name: string;
  readonly permissions: string[];
  readonly encryptionRequired: boolean;
  readonly config: object;
  readonly tags: object;
}

/**
 * Tunnelers in routers as clients of the graph: a router with one is an identity with the same id,
 * and uses services by the sessions, policies and posture checks of every identity.
 */
export class RouterTunnelers implements TunnelerPort {
  /** Router id -> the token of its API session. */
  readonly #tokens = new Map<string, string>();

  readonly #operations: Readonly<Record<Operation, CompiledOperation>>;

  constructor(private readonly options: RouterTunnelersOptions) {
    const { executor } = options;
    this.#operations = {
      identity: executor.compile(IDENTITY),
      services: executor.compile(SERVICES),
      service: executor.compile(SERVICE),
      openSession: executor.compile(OPEN_SESSION),
    };
  }

  async session(login: TunnelerLogin): Promise<TunnelerSession> {
    const { routerId, envInfo, sdkInfo } = login;
    const token = this.#tokens.get(routerId) ?? (await this.storedToken(routerId));
    const existing = token === undefined ? undefined : await this.live(token, false);
    if (existing) return existing;
    const opened = await this.open(login);
    const { store } = this.options;
    if (Object.keys(envInfo).length + Object.keys(sdkInfo).length > 0) {
      await identities.storeClientInfo(store, routerId, { envInfo, sdkInfo });
    }
    const session = await this.live(opened, true);
    if (!session) throw new TunnelerRefusal('tunneling not enabled');
    return session;
  }

  async identity({ token }: TunnelerSession): Promise<TunnelerIdentity> {
    const data = await this.ask<{ currentIdentity: TunnelerIdentity }>(token, 'identity');
    return data.currentIdentity;
  }

  servicesState({ identityId }: TunnelerSession): string {
    const { freshness } = this.options.contexts.make('', undefined).modules;
    return String(freshness.lastChange(identityId));
  }

  async services(session: TunnelerSession): ReturnType<TunnelerPort['services']> {
    const data = await this.ask<{ currentIdentity: { services: { nodes: ServiceNode[] } } }>(
      session.token,
      'services',
    );
    return data.currentIdentity.services.nodes.map(
      ({ id, name, permissions, encryptionRequired, config, tags }) => ({
        id,
        name,
        permissions,
        encryption: encryptionRequired,
        config: Buffer.from(JSON.stringify(config)),
        tags: Buffer.from(JSON.stringify(tags)),
      }),
    );
  }

  async serviceSession(
    { token }: TunnelerSession,
    service: { readonly name: string } | { readonly id: string },
    type: 'Dial' | 'Bind',
  ): ReturnType<TunnelerPort['serviceSession']> {
    const data = await this.ask<{ currentIdentity: { services: { nodes: { id: string }[] } } }>(
      token,
      'service',
      {
        where: 'id' in service ? { id: { eq: service.id } } : { name: { eq: service.name } },
      },
    );
    const serviceId = data.currentIdentity.services.nodes[0]?.id;
    if (serviceId === undefined) throw new TunnelerRefusal('invalid service');
    try {
      const { openSession } = await this.ask<{ openSession: { id: string; token: string } }>(
        token,
        'openSession',
        { input: { serviceId, type } },
      );
      return openSession;
    } catch (error) {
      if (error instanceof ApiError) throw new TunnelerRefusal('invalid service');
      throw error;
    }
  }

  /** The token of the session that the router had at an earlier connection. */
  private storedToken(routerId: string): Promise<string | undefined> {
    const tunneler = { identityId: routerId, authenticatorId: INTERNAL };
    return apiSessions.latestTokenBy(this.options.store, tunneler);
  }

  /** Opens an API session and gives its token. */
  private async open(login: TunnelerLogin): Promise<string> {
    const { routerId, address, configTypes: requestedTypes, sdkInfo } = login;
    const { sessions, store, now } = this.options;
    // Only such a router is the identity with its id.
    if (!(await routers.hasTunneler(store, routerId)))
      throw new TunnelerRefusal('tunneling not enabled');
    const types =
      requestedTypes.length === 0 || requestedTypes.includes('all')
        ? ALL_TYPES
        : await configTypes.idsOf(store, requestedTypes);
    const origin = { ...originOfController(now()), actorId: routerId };
    const opening = sessions.create(store, origin, {
      identityId: routerId,
      authenticatorId: INTERNAL,
      ipAddress: address,
      configTypes: types,
      isCertExtendable: false,
      improperClientCertChain: false,
      sdkInfo,
    });
    const { id } = await opening.catch((error: unknown) => {
      if (error instanceof ApiError) throw new TunnelerRefusal('tunneling not enabled');
      throw error;
    });
    const token = await apiSessions.tokenOf(store, id);
    if (token === undefined) throw new Error('the API session ended at once');
    return token;
  }

  /** The API session of a token, unless it has ended. */
  private async live(token: string, isNew: boolean): Promise<TunnelerSession | undefined> {
    const ctx = await this.options.contexts.ofSession(token, '');
    if (!ctx?.caller) return undefined;
    const { apiSessionId: id, identityId } = ctx.caller;
    this.#tokens.set(identityId, token);
    return { id, token, identityId, isNew };
  }

  private async ask<T>(token: string, operation: Operation, variables: object = {}): Promise<T> {
    const ctx = await this.options.contexts.ofSession(token, '');
    if (!ctx) throw new TunnelerRefusal('tunneling not enabled');
    const result = await this.#operations[operation](ctx, { ...variables });
    const [error] = result.errors ?? [];
    if (error) throw apiErrorOf(error) ?? error;
    return result.data as T;
  }
}
