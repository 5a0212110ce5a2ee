import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openApiDocument, type RestRow } from '../../rest-compat/index.js';
import type { AccessState } from '../access/index.js';
import {
  ApiSessions,
  ExternalSigners,
  JwksKeys,
  LoginLimit,
  serviceSessionTokens,
} from '../auth/index.js';
import type { ChangeStream } from '../changes/index.js';
import type { Config } from '../config.js';
import { enrollmentTokens } from '../enrollment/index.js';
import {
  addDataCare,
  Analyst,
  ANALYST,
  ContextFactory,
  FACTS,
  SPECS,
  type ControllerFacts,
  type DataCareParts,
} from '../graph/index.js';
import { Modules } from '../kernel/request/context.js';
import { TOTALS } from '../kernel/read/listing.js';
import { hostIn, type LiveKeys } from '../pki/index.js';
import { RouterPresence } from '../presence/index.js';
import {
  API_SESSIONS,
  catalog,
  CHANGE_STREAM,
  ENROLLMENT,
  FRESHNESS,
  JWKS,
  KEYS,
  LOGIN_LIMIT,
  POLICY,
  POSTURE,
  POSTURE_CHECKS,
  PRESENCE,
  SESSION_TOKENS,
  SIGNERS,
  type EnrollmentSettings,
  type ModelIndex,
} from '../resources/index.js';
import type { ModelStore } from '../store/model-store.js';
import { buildFacts } from './version.js';

export interface AssemblyParts {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => Date;
  readonly store: ModelStore;
  readonly model: ModelIndex;
  readonly access: AccessState;
  readonly stream: ChangeStream;
  readonly keys: Pick<LiveKeys, 'current'>;
  readonly rows: readonly RestRow[];
}

/** What requests are served with. */
export interface Assembly {
  readonly contexts: ContextFactory;
  readonly facts: ControllerFacts;
  readonly sessions: ApiSessions;
  readonly loginLimit: LoginLimit;
  readonly presence: RouterPresence;
  readonly endDataCare: () => Promise<void>;
}

/** Wires the modules to each other. */
export function assembleModules(parts: AssemblyParts): Assembly {
  const { config, log, now, store, model, access, keys, rows } = parts;
  const sessions = new ApiSessions({ store, catalog, now, timeoutMs: config.sessionTimeoutMs });
  const signers = new ExternalSigners(store);
  const loginLimit = new LoginLimit(store, config.loginLimit);
  const jwks = new JwksKeys({
    clock: now,
    allowPrivate: config.jwksAllowPrivate,
    onFault: (endpoint, reason) => {
      log.warn({ endpoint, reason }, 'the keys of an external signer could not be read');
    },
  });
  const facts = buildFacts(config, randomUUID());
  const presence = new RouterPresence({
    store,
    sessions,
    now,
    onError: (error) => {
      log.warn({ err: error }, 'a command to routers could not be carried out');
    },
  });
  const modules = new Modules()
    .add(TOTALS, model)
    .add(POLICY, model.policies)
    .add(ANALYST, new Analyst({ index: model.policies, store, stream: parts.stream }))
    .add(POSTURE, access.posture)
    .add(POSTURE_CHECKS, access.checks)
    .add(FRESHNESS, access.freshness)
    .add(CHANGE_STREAM, parts.stream)
    .follow(KEYS, () => keys.current)
    .add(PRESENCE, presence)
    .add(ENROLLMENT, enrollmentSettings(config, keys, now))
    .add(API_SESSIONS, sessions)
    .add(
      SESSION_TOKENS,
      serviceSessionTokens({ keyMaterial: () => keys.current, advertise: advertiseOf(config) }),
    )
    .add(SIGNERS, signers)
    .add(JWKS, jwks)
    .add(LOGIN_LIMIT, loginLimit)
    .add(FACTS, facts)
    .add(SPECS, specs(rows, facts.version));
  const endDataCare = addDataCare(modules, dataCareParts(parts));
  const contexts = new ContextFactory({
    catalog,
    store,
    modules,
    sessions,
    signers,
    keys: jwks,
    now,
  });
  return { contexts, facts, sessions, loginLimit, presence, endDataCare };
}

const dataCareParts = ({ config, log, now, store, model, keys }: AssemblyParts): DataCareParts => ({
  store,
  model,
  secretKey: () => keys.current.secretKey,
  keyFolder: { path: join(config.dataDir, 'pki'), allowOpen: config.pki.allowOpenKeyFiles },
  dataDir: config.dataDir,
  now,
  onError: (err) => {
    log.error({ err }, 'the data integrity check broke off');
  },
});

const specs = (rows: readonly RestRow[], version: string): ReadonlyMap<string, object> =>
  new Map([
    ['edge-client', openApiDocument(rows, 'client', version)],
    ['edge-management', openApiDocument(rows, 'management', version)],
  ]);

const advertiseOf = ({ advertise: { host, port } }: Config): string => `${host}:${String(port)}`;

function enrollmentSettings(
  config: Config,
  keys: AssemblyParts['keys'],
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
      ownHosts: [config.listen.host, config.advertise.host, hostIn(config.ctrlAddress ?? '') ?? ''],
      patterns: config.routerNames,
    },
  };
}
