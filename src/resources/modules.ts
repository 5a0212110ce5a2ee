import type { ApiSessions, ExternalSigners, JwksKeys, LoginLimit } from '../auth/index.js';
import { ModuleKey } from '../kernel/context.js';
import type { EnrollmentTokens } from '../enrollment/index.js';
import type { KeyMaterial } from '../pki/index.js';
import type { PolicyIndex } from '../policy/index.js';

/** The modules that resources and operations work with, wired by the composition root. */
export const POLICY = new ModuleKey<PolicyIndex>('policy');
export const KEYS = new ModuleKey<KeyMaterial>('keys');

export interface EnrollmentSettings {
  readonly tokens: EnrollmentTokens;
  readonly identityLifetimeMs: number;
  readonly routerLifetimeMs: number;
}
export const ENROLLMENT = new ModuleKey<EnrollmentSettings>('enrollment');

export const API_SESSIONS = new ModuleKey<ApiSessions>('apiSessions');
export const SIGNERS = new ModuleKey<ExternalSigners>('signers');
export const JWKS = new ModuleKey<JwksKeys>('jwks');
export const LOGIN_LIMIT = new ModuleKey<LoginLimit>('loginLimit');
