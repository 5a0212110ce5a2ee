import type { SdkInfo, EnvInfo, TunnelService } from '../messages/index.js';
import type { Precedence } from './precedence.js';

/** The API session of a router that is an identity, too. */
export interface TunnelerSession {
  readonly id: string;
  readonly token: string;
  readonly identityId: string;
  /** Whether this call has opened it. */
  readonly isNew: boolean;
}

/** The identity of a router, with its defaults for the terminators that it hosts. */
export interface TunnelerIdentity {
  readonly id: string;
  readonly name: string;
  readonly defaultHostingPrecedence: Precedence;
  readonly defaultHostingCost: number;
  readonly appData: object;
  readonly serviceHostingPrecedences: Readonly<Record<string, Precedence>>;
  readonly serviceHostingCosts: Readonly<Record<string, number>>;
}

export interface TunnelerLogin {
  readonly routerId: string;
  readonly address: string;
  /** Names or ids; empty: those of the earlier session, or all. */
  readonly configTypes: readonly string[];
  readonly envInfo: Partial<EnvInfo>;
  readonly sdkInfo: Partial<SdkInfo>;
}

export type TunnelerFault = 'tunneling not enabled' | 'invalid service';

/** A request of a tunneler that is refused. */
export class TunnelerRefusal extends Error {
  constructor(readonly fault: TunnelerFault) {
    super(fault);
  }
}

/** The services of the core for tunnelers in routers. */
export interface TunnelerPort {
  /**
   * Gives the API session of the router, and opens one when it has none.
   * @throws TunnelerRefusal unless the router is an identity
   */
  session(login: TunnelerLogin): Promise<TunnelerSession>;
  identity(session: TunnelerSession): Promise<TunnelerIdentity>;
  /** A text that changes with the services of the session. */
  servicesState(session: TunnelerSession): string;
  services(session: TunnelerSession): Promise<Partial<TunnelService>[]>;
  /**
   * Gives the session for a service, and opens one when there is none.
   * @throws TunnelerRefusal for a service that the router may not use so
   */
  serviceSession(
    session: TunnelerSession,
    service: { readonly name: string } | { readonly id: string },
    type: 'Dial' | 'Bind',
  ): Promise<{ readonly id: string; readonly token: string }>;
}
