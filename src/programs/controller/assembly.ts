import type { Logger } from 'pino';
import { openApiDocument, restRows, type RestRow } from '../../../rest-compat/index.js';
import type { AccessState } from '../../access/enforcement/index.js';
import { renewClaimedAttributes } from '../../access/assignments/index.js';
import { AccessUses } from '../../access/use/index.js';
import {
  ApiSessions,
  ExternalSigners,
  JwksKeys,
  LoginCounts,
  LoginLimit,
  serviceSessionTokens,
  TokenKeys,
  TokenLife,
  type LoginAttempt,
  type LoginObserver,
  type RenewClaimedAttributes,
} from '../../trust/auth/index.js';
import { LOGIN_REFUSALS } from '../../data/rows/login/index.js';
import type { ChangeStream } from '../../data/changes/index.js';
import type { Config } from '../configuration.js';
import { AccessTokens, RedirectLists, RevokedTokens } from '../../trust/oidc/index.js';
import { enrollmentTokens } from '../../trust/enrollment/index.js';
import type { LiveEvents } from '../../network/events/index.js';
import { CircuitStream } from '../../network/fabric/index.js';
import type { GraphQLSchema } from 'graphql';
import { Analyst } from '../../access/analysis/index.js';
import { ContextFactory, type ControllerFacts } from '../../graph/index.js';
import type { Modules } from '../../kernel/request/context.js';
import type { IntegrityRuns } from '../../inventory/integrity/index.js';
import { hostIn, type LiveKeys } from '../../trust/pki/index.js';
import { RouterPresence } from '../../network/presence/index.js';
import { catalog, type EnrollmentSettings } from '../../resources/index.js';
import { clientDoor } from './api-addresses.js';
import type { ModelIndex } from './model-index.js';
import { Search } from '../../inventory/search/index.js';
import type { ModelStore } from '../../data/store/model-store.js';
import { integrityRuns, snapshotsOf } from './integrity-and-snapshots.js';
import { Specification } from './specification.js';
import { buildFacts } from './version.js';
import { warn } from './warn.js';

export interface AssemblyOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => Date;
  readonly store: ModelStore;
  readonly model: ModelIndex;
  readonly access: AccessState;
  readonly stream: ChangeStream;
  readonly keys: Pick<LiveKeys, 'current'>;
  readonly schema: GraphQLSchema;
  readonly networkId: string;
  /** The id of this controller, which its own settings have. */
  readonly controllerId: string;
  /** Called with each login that this process serves. */
  readonly onLogin?: LoginObserver | undefined;
  readonly liveEvents: LiveEvents;
}

/** The parts of a controller that serve requests. */
export interface Assembly {
  /** The rows of the REST interfaces. */
  readonly rows: readonly RestRow[];
  readonly contexts: ContextFactory;
  readonly accessTokens: AccessTokens;
  readonly facts: ControllerFacts;
  readonly sessions: ApiSessions;
  readonly signers: ExternalSigners;
  readonly accessUses: AccessUses;
  readonly tokenKeys: TokenKeys;
  readonly loginLimit: LoginLimit;
  readonly loginCounts: LoginCounts;
  readonly presence: RouterPresence;
  readonly integrity: IntegrityRuns;
}

/** Wires the modules to each other. */
export function assembleModules(options: AssemblyOptions): Assembly {
  const { config, now, store, model, access, stream, keys, schema } = options;
  const rows = restRows(catalog, schema);
  const sessions = new ApiSessions({
    ...{ store, catalog, now },
    timeoutMs: config.sessionTimeoutMs,
    oidcTimeoutMs: config.oidc.refreshMs,
  });
  const signers = new ExternalSigners(store);
  const loginLimit = new LoginLimit(store, config.loginLimit);
  const loginCounts = new LoginCounts({ store, now, keepMillis: config.loginsKeepMs });
  const jwks = jwksKeysOf(options);
  const facts = buildFacts(config, options.networkId);
  const presence = presenceOf(options, sessions);
  const integrity = integrityRuns(options);
  const accessUses = accessUsesOf(options);
  const tokenKeys = tokenKeysOf(options);
  const accessTokens = accessTokensOf(options, tokenKeys);
  const modules: Modules = {
    totals: model,
    policy: model.policies,
    accessUses,
    analyst: new Analyst({ index: model.policies, store, stream }),
    circuitStream: circuitStreamOf(options),
    liveEvents: options.liveEvents,
    posture: access.posture,
    postureChecks: access.checks,
    freshness: access.freshness,
    changeStream: stream,
    get keys() {
      return keys.current;
    },
    presence,
    enrollment: enrollmentSettings(config, keys, now),
    ...{ apiSessions: sessions, tokenLife: new TokenLife(config.oidc) },
    ...{ tokenKeys, redirectLists: new RedirectLists(store, options.controllerId) },
    sessionTokens: serviceSessionTokens({ keys: tokenKeys, advertise: advertiseOf(config) }),
    ...{ signers, jwks, renewClaimedAttributes: renewalOf(options) },
    loginLimit,
    onLogin: loginObserver(loginCounts, options),
    ...{ facts, clientDoor: clientDoor(config) },
    specs: specs(rows, facts.version),
    integrity,
    snapshots: snapshotsOf(options),
    search: new Search({ catalog, store }),
  };
  const contexts = new ContextFactory({
    catalog,
    store,
    modules,
    sessions,
    signers,
    keys: jwks,
    accessTokens,
    now,
  });
  const logins = { sessions, signers, loginLimit, loginCounts };
  const tokens = { accessTokens, tokenKeys };
  return { rows, contexts, facts, ...logins, ...tokens, accessUses, presence, integrity };
}

const presenceOf = ({ store, log, now }: AssemblyOptions, sessions: ApiSessions): RouterPresence =>
  new RouterPresence({
    store,
    sessions,
    now,
    onError: (error) => {
      log.warn({ err: error }, 'a command to routers could not be carried out');
    },
  });

const renewalOf = ({ log }: AssemblyOptions): RenewClaimedAttributes =>
  renewClaimedAttributes((refused) => {
    log.warn(refused, 'an access rule forbids the role attributes that a login claims');
  });

const loginObserver =
  (counts: LoginCounts, { log, onLogin }: AssemblyOptions): LoginObserver =>
  (attempt) => {
    counts.apply(attempt);
    logRefusal(log, attempt);
    onLogin?.(attempt);
  };

/** The reason of a refused login, which its client does not learn. */
function logRefusal(log: Logger, { refusal, ...attempt }: LoginAttempt): void {
  if (refusal === undefined) return;
  const { method, address, requestId, identityId, signerId } = attempt;
  const facts = { refusal, reason: LOGIN_REFUSALS[refusal], method, address, requestId };
  log.info(
    { ...facts, ...(identityId ? { identityId } : {}), ...(signerId ? { signerId } : {}) },
    'a login was refused',
  );
}

const accessTokensOf = ({ store, now }: AssemblyOptions, keys: TokenKeys): AccessTokens =>
  new AccessTokens({ keys, now, revoked: new RevokedTokens(store) });

const tokenKeysOf = ({ store, keys, now }: AssemblyOptions): TokenKeys =>
  new TokenKeys({ rows: store, keyMaterial: () => keys.current, now });

function jwksKeysOf({ config, log, now, store }: AssemblyOptions): JwksKeys {
  const keys = new JwksKeys({
    clock: now,
    allowPrivate: config.jwksAllowPrivate,
    graceMs: config.jwksGraceMs,
    leewayMs: config.jwtLeewayMs,
    onFault: (endpoint, reason) => {
      log.warn({ endpoint, reason }, 'the keys of an external signer could not be read');
    },
  });
  store.onChange((changes) => {
    for (const { resource, operation, id } of changes) {
      if (resource === 'ExternalJwtSigner' && operation === 'delete') keys.forget(id);
    }
  });
  return keys;
}

const accessUsesOf = ({ store, now, log }: AssemblyOptions): AccessUses =>
  new AccessUses({
    store,
    now,
    onLoss: () => {
      log.error('uses of access were lost, because the database did not take them in time');
    },
  });

const circuitStreamOf = ({ store, log }: AssemblyOptions): CircuitStream =>
  new CircuitStream({ store, onError: warn(log, 'events of circuits could not be read') });

const specs = (rows: readonly RestRow[], version: string): readonly Specification[] => [
  new Specification('edge-client', () => openApiDocument(rows, 'client', version)),
  new Specification('edge-management', () => openApiDocument(rows, 'management', version)),
  new Specification('fabric', () => openApiDocument(rows, 'fabric', version)),
];

const advertiseOf = ({ advertise: { host, port } }: Config): string => `${host}:${String(port)}`;

function enrollmentSettings(
  config: Config,
  keys: AssemblyOptions['keys'],
  clock: () => Date,
): EnrollmentSettings {
  return {
    tokens: enrollmentTokens({
      keyMaterial: () => keys.current,
      advertise: advertiseOf(config),
      ctrlAddress: config.ctrlAddress,
      clock,
    }),
    identityLifetimeMs: config.enrollmentLifetimeMs,
    routerLifetimeMs: config.routerEnrollmentLifetimeMs,
    routerNames: {
      ownHosts: [config.listen.host, config.advertise.host, hostIn(config.ctrlAddress) ?? ''],
      patterns: config.routerNames,
    },
  };
}
