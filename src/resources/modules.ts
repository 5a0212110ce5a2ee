import type {
  ApiSessions,
  ExternalSigners,
  JwksKeys,
  LoginLimit,
  ServiceSessionTokens,
} from '../auth/index.js';
import type { ChangeStream } from '../changes/index.js';
import { ModuleKey } from '../kernel/request/context.js';
import type { EnrollmentTokens, RouterNameSettings } from '../enrollment/index.js';
import type { KeyMaterial } from '../pki/index.js';
import type { ServiceFreshness } from '../access/index.js';
import type { PolicyIndex } from '../policy/index.js';
import type { PostureChecks, PostureStore } from '../posture/index.js';
import type { RouterPresence } from '../presence/index.js';

/** The modules that resources and operations work with, wired by the composition root. */
export const POLICY = new ModuleKey<PolicyIndex>('policy');
export const KEYS = new ModuleKey<KeyMaterial>('keys');

export interface EnrollmentSettings {
  readonly tokens: EnrollmentTokens;
  readonly identityLifetimeMs: number;
  readonly routerLifetimeMs: number;
  readonly routerNames: RouterNameSettings;
}
export const ENROLLMENT = new ModuleKey<EnrollmentSettings>('enrollment');

export const API_SESSIONS = new ModuleKey<ApiSessions>('apiSessions');
/** Who is connected: the port that control channels of routers report to. */
export const PRESENCE = new ModuleKey<RouterPresence>('presence');
export const SESSION_TOKENS = new ModuleKey<ServiceSessionTokens>('sessionTokens');
export const SIGNERS = new ModuleKey<ExternalSigners>('signers');
export const JWKS = new ModuleKey<JwksKeys>('jwks');
export const LOGIN_LIMIT = new ModuleKey<LoginLimit>('loginLimit');

export const POSTURE = new ModuleKey<PostureStore>('posture');
export const POSTURE_CHECKS = new ModuleKey<PostureChecks>('postureChecks');
/** The change log as it grows. */
export const CHANGE_STREAM = new ModuleKey<ChangeStream>('changeStream');
export const FRESHNESS = new ModuleKey<ServiceFreshness>('freshness');
