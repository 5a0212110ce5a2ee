import type {
  ApiSessions,
  ExternalSigners,
  JwksKeys,
  LoginLimit,
  LoginObserver,
  RenewClaimedAttributes,
  ServiceSessionTokens,
  TokenKeys,
  TokenLife,
} from '../trust/auth/index.js';
import type { RedirectLists } from '../trust/oidc/index.js';
import type { ChangeStream } from '../data/changes/index.js';
import type { ClientDoor } from '../data/rows/controller/index.js';
import type { EnrollmentTokens, RouterNameSettings } from '../trust/enrollment/index.js';
import type { KeyMaterial } from '../trust/pki/index.js';
import type { PolicyIndex } from '../kernel/policy/index.js';
import type { PostureChecks, PostureStore } from '../trust/posture/index.js';
import type { RouterPresence } from '../network/presence/index.js';

export interface EnrollmentSettings {
  readonly tokens: EnrollmentTokens;
  readonly identityLifetimeMs: number;
  readonly routerLifetimeMs: number;
  readonly routerNames: RouterNameSettings;
}

/** Gives the time of the last change of an identity's services, in milliseconds. */
export interface ServiceListChanges {
  lastChange(identityId: string): number;
}

declare module '../kernel/request/context.js' {
  interface Modules {
    readonly policy: PolicyIndex;
    /** The current key material, renewed while the program runs. */
    readonly keys: KeyMaterial;
    readonly enrollment: EnrollmentSettings;
    readonly clientDoor: ClientDoor;
    readonly apiSessions: ApiSessions;
    readonly tokenLife: TokenLife;
    readonly redirectLists: RedirectLists;
    /** The connected routers: their control channels report to it. */
    readonly presence: RouterPresence;
    readonly sessionTokens: ServiceSessionTokens;
    /** The keys by which the controllers of the network sign tokens. */
    readonly tokenKeys: TokenKeys;
    readonly signers: ExternalSigners;
    readonly jwks: JwksKeys;
    readonly renewClaimedAttributes: RenewClaimedAttributes;
    readonly loginLimit: LoginLimit;
    /** Gets each login that this process serves. */
    readonly onLogin: LoginObserver;
    readonly posture: PostureStore;
    readonly postureChecks: PostureChecks;
    /** The growing change log. */
    readonly changeStream: ChangeStream;
    readonly freshness: ServiceListChanges;
  }
}
