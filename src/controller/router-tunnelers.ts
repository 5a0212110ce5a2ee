import { parse } from 'graphql';
import { storeClientInfo, type ApiSessions } from '../auth/index.js';
import {
  TunnelerRefusal,
  type TunnelerLogin,
  type TunnelerPort,
  type TunnelerSession,
} from '../control/index.js';
import { ApiError } from '../base/errors.js';
import { apiErrorOf, type ContextFactory, type Executor } from '../graph/index.js';
import type { RequestContext } from '../kernel/request/context.js';
import type { Store } from '../kernel/request/store-port.js';
import { originOfController } from '../kernel/write/write.js';
import { findConfigTypes } from '../resources/config-type-table.js';
import { internalApiSession, tokenOfApiSession } from './session-table.js';

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

const IDENTITY = `query { currentIdentity { id name defaultHostingPrecedence defaultHostingCost appData
  serviceHostingPrecedences serviceHostingCosts } }`;
const SERVICES = `query { currentIdentity { services(filter: "limit none") {
  nodes { id name permissions encryptionRequired config tags } } } }`;
const SERVICE = `query ($name: String!) { currentIdentity { services(where: { name: { eq: $name } }) {
  nodes { id } } } }`;
const OPEN_SESSION =
  'mutation ($input: OpenSessionInput!) { openSession(input: $input) { id token } }';

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

  constructor(private readonly options: RouterTunnelersOptions) {}

  async session(login: TunnelerLogin): Promise<TunnelerSession> {
    const { routerId, envInfo, sdkInfo } = login;
    const token = this.#tokens.get(routerId) ?? (await this.storedToken(routerId));
    const existing = token === undefined ? undefined : await this.read(token, false);
    if (existing) return existing;
    const opened = await this.open(login);
    const { store } = this.options;
    if (Object.keys(envInfo).length + Object.keys(sdkInfo).length > 0) {
      await storeClientInfo(store, routerId, { envInfo, sdkInfo });
    }
    const session = await this.read(opened, true);
    if (!session) throw new TunnelerRefusal('tunneling not enabled');
    return session;
  }

  servicesState({ identity }: TunnelerSession): string {
    const { freshness } = this.options.contexts.make('', undefined).modules;
    return String(freshness.lastChange(identity.id));
  }

  async services(session: TunnelerSession): ReturnType<TunnelerPort['services']> {
    const data = await this.ask<{ currentIdentity: { services: { nodes: ServiceNode[] } } }>(
      session.token,
      SERVICES,
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
    name: string,
    type: 'Dial' | 'Bind',
  ): ReturnType<TunnelerPort['serviceSession']> {
    const found = await this.ask<{ currentIdentity: { services: { nodes: { id: string }[] } } }>(
      token,
      SERVICE,
      { name },
    );
    const serviceId = found.currentIdentity.services.nodes[0]?.id;
    if (serviceId === undefined) throw new TunnelerRefusal('invalid service');
    try {
      const data = await this.ask<{ openSession: { id: string; token: string } }>(
        token,
        OPEN_SESSION,
        { input: { serviceId, type } },
      );
      return data.openSession;
    } catch (error) {
      if (error instanceof ApiError) throw new TunnelerRefusal('invalid service');
      throw error;
    }
  }

  /** The token of the session that the router had at an earlier connection. */
  private storedToken(routerId: string): Promise<string | undefined> {
    return internalApiSession(this.options.store, routerId);
  }

  /** Opens an API session and gives its token. */
  private async open({ routerId, address, configTypes, sdkInfo }: TunnelerLogin): Promise<string> {
    const { sessions, store, now } = this.options;
    const types =
      configTypes.length === 0 || configTypes.includes('all')
        ? ALL_TYPES
        : await findConfigTypes(store, [...configTypes]);
    const origin = { ...originOfController(now()), actorId: routerId };
    const opening = sessions.create(origin, {
      identityId: routerId,
      authenticatorId: INTERNAL,
      ipAddress: address,
      configTypes: types,
      isCertExtendable: false,
      improperClientCertChain: false,
      sdkInfo,
    });
    const id = await opening.catch((error: unknown) => {
      if (error instanceof ApiError) throw new TunnelerRefusal('tunneling not enabled');
      throw error;
    });
    return tokenOfApiSession(store, id);
  }

  private async read(token: string, isNew: boolean): Promise<TunnelerSession | undefined> {
    const ctx = await this.options.contexts.ofSession(token, '');
    if (!ctx?.caller) return undefined;
    this.#tokens.set(ctx.caller.identityId, token);
    const data = await this.run<{ currentIdentity: TunnelerSession['identity'] }>(ctx, IDENTITY);
    return { id: ctx.caller.apiSessionId, token, isNew, identity: data.currentIdentity };
  }

  private async ask<T>(token: string, text: string, variables: object = {}): Promise<T> {
    const ctx = await this.options.contexts.ofSession(token, '');
    if (!ctx) throw new TunnelerRefusal('tunneling not enabled');
    return this.run(ctx, text, variables);
  }

  private async run<T>(ctx: RequestContext, text: string, variables: object = {}): Promise<T> {
    const { executor } = this.options;
    const result = await executor.run(parse(text), text, ctx, { ...variables }, undefined);
    const [error] = result.errors ?? [];
    if (error) throw apiErrorOf(error) ?? error;
    return result.data as T;
  }
}
