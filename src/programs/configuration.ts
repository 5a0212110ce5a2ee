import { resolve } from 'node:path';
import { z } from 'zod';
import type { SpaFolder } from '../edge/spa-folders.js';
import type { RouterCapability } from '../network/control/index.js';
import type { LimitSettings } from '../requests/limits/index.js';
import { StartError } from '../base/start-error.js';
import type { HostAndPort } from '../base/host-port.js';
import { ctrlAddress, host, hostPort, peerAddress } from './config-addresses.js';
import { durationOrNone, leeway } from './config-numbers.js';
import { count, file, lifetime, limit, oneOf, parsed, someOf } from './config-variables.js';
import {
  assetOrigins,
  collector,
  databaseUrl,
  hosts,
  MAX_WORKERS,
  namePatterns,
  origins,
  redirects,
  secretKey,
  sink,
  spaFolders,
  workers,
  type SecretKey,
} from './config-texts.js';
import { defaultWorkers } from './workers/default-workers.js';

/**
 * All settings of the environment, read once at start; no other module reads the environment.
 * Durations are in milliseconds, paths are absolute, an empty variable counts as unset.
 */
export interface Config {
  /** `OVERGRAPH_HOST`, `OVERGRAPH_PORT`: the address for HTTPS; with port 0 the system chooses. */
  readonly listen: HostPort;
  /** `OVERGRAPH_ADVERTISE`: the address for clients; `localhost:<port>` by default. */
  readonly advertise: HostPort;
  /** `OVERGRAPH_DATA_DIR` */
  readonly dataDir: string;
  readonly database: {
    /** `DATABASE_URL`; undefined means the embedded PostgreSQL. */
    readonly url: string | undefined;
    /** `OVERGRAPH_PG_STATEMENTS`: false behind a transaction pooler, where no session lasts. */
    readonly namedStatements: boolean;
  };
  readonly admin: {
    /** `OVERGRAPH_ADMIN_USERNAME` */
    readonly username: string;
    /** `OVERGRAPH_ADMIN_PASSWORD`; undefined means a generated one. */
    readonly password: string | undefined;
  };
  readonly pki: {
    /** `OVERGRAPH_TLS_CERT` and `OVERGRAPH_TLS_KEY`: PEM files, always both. */
    readonly tls: KeyFiles | undefined;
    /** `OVERGRAPH_SIGNER_CERT` and `OVERGRAPH_SIGNER_KEY`: PEM files, always both. */
    readonly signer: KeyFiles | undefined;
    /** `OVERGRAPH_CA_BUNDLE`: PEM file. */
    readonly caBundle: string | undefined;
    /** `OVERGRAPH_TRUST_DOMAIN`: SPIFFE trust domain; derived from the root when undefined. */
    readonly trustDomain: string | undefined;
    /** `OVERGRAPH_SECRET_KEY`: 32 bytes; a generated file when undefined. */
    readonly secretKey: SecretKey | undefined;
    /** `OVERGRAPH_ALLOW_OPEN_KEY_FILES`: accepts key files that others can read or write. */
    readonly allowOpenKeyFiles: boolean;
  };
  /** `OVERGRAPH_CTRL_ADDRESS`: `tls:host:port`, where routers reach the control channel. */
  readonly ctrlAddress: string;
  /** `OVERGRAPH_CTRL_LISTEN`: a listener for routers alone; undefined: they use that for HTTPS. */
  readonly ctrlListen: HostPort | undefined;
  /** `OVERGRAPH_HEALTH_LISTEN`: a listener without TLS for health and metrics alone; undefined: none. */
  readonly healthListen: HostPort | undefined;
  /** `OVERGRAPH_PEER_ADDRESS`: where other controllers reach the port for HTTPS; undefined: nowhere. */
  readonly peerAddress: string | undefined;
  /** `OVERGRAPH_ROUTER_CAPABILITIES`: what the controller announces to routers. */
  readonly routerCapabilities: readonly RouterCapability[];
  /** `OVERGRAPH_CORS_ORIGINS`: allowed with credentials; undefined: any origin without them. */
  readonly corsOrigins: readonly string[] | undefined;
  /** `OVERGRAPH_SPA`: built applications to serve beside the console. */
  readonly spas: readonly SpaFolder[];
  /** `OVERGRAPH_SPA_ORIGINS`: from which these may load images, styles and fonts. */
  readonly spaOrigins: readonly string[];
  readonly oidc: {
    /** `OVERGRAPH_OIDC`: whether the OpenID provider is served, and clients are told to use it. */
    readonly mode: OidcMode;
    /** `OVERGRAPH_OIDC_HOSTS`: names of this controller that its certificate lacks, in lower case. */
    readonly hosts: readonly string[];
    /** `OVERGRAPH_OIDC_REDIRECTS`: further addresses of clients for the answers of logins. */
    readonly redirects: readonly string[];
    /** `OVERGRAPH_OIDC_ACCESS_LIFETIME` */
    readonly accessMs: number;
    /** `OVERGRAPH_OIDC_REFRESH_LIFETIME` */
    readonly refreshMs: number;
  };
  /** `OVERGRAPH_SESSION_TIMEOUT` */
  readonly sessionTimeoutMs: number;
  /** `OVERGRAPH_ENROLLMENT_LIFETIME` */
  readonly enrollmentLifetimeMs: number;
  /** `OVERGRAPH_ROUTER_ENROLLMENT_LIFETIME` */
  readonly routerEnrollmentLifetimeMs: number;
  /**
   * `OVERGRAPH_ROUTER_NAMES`: allowed names in router certificates, as DNS names with or without `*.`
   * and ranges of addresses, in lower case; undefined: all names that belong to no other host.
   */
  readonly routerNames: readonly string[] | undefined;
  /** `OVERGRAPH_LOGIN_LIMIT`: failed logins a minute per address and username; 0 is off. */
  readonly loginLimit: number;
  readonly limits: LimitSettings;
  /** `OVERGRAPH_WORKERS`: the processes that serve requests; see `defaultWorkers`. */
  readonly workers: number;
  /** `OVERGRAPH_JWKS_ALLOW_PRIVATE` */
  readonly jwksAllowPrivate: boolean;
  /** `OVERGRAPH_JWKS_GRACE`: the time that a key counts which its endpoint does not list any more. */
  readonly jwksGraceMs: number;
  /** `OVERGRAPH_JWT_LEEWAY`: the accepted difference between the clocks of JWT signers and ours. */
  readonly jwtLeewayMs: number;
  readonly changes: {
    /** `OVERGRAPH_CHANGES_KEEP`: the time that the change log keeps changes. */
    readonly keepMs: number;
    /** `OVERGRAPH_CHANGES_MAX`: the number of changes that it keeps; 0 means no limit. */
    readonly most: number;
    /** `OVERGRAPH_CHANGES_SINK`: the destination of changes as lines of JSON. */
    readonly sink: 'stdout' | { readonly file: string } | undefined;
  };
  /** `OVERGRAPH_SMART_REROUTING`: whether circuits move to paths that have become cheaper. */
  readonly smartRerouting: boolean;
  /** `OVERGRAPH_USAGE_KEEP`: the time for which the bytes of services and identities are kept. */
  readonly usageKeepMs: number;
  /** `OVERGRAPH_LOGINS_KEEP`: the time for which failed logins and counts of sessions are kept. */
  readonly loginsKeepMs: number;
  /** `OVERGRAPH_EVENTS`: standard output for all events, or the file that describes their sinks. */
  readonly events: 'stdout' | { readonly file: string } | undefined;
  /** `OVERGRAPH_LOG_LEVEL` */
  readonly logLevel: LogLevel;
  /** `OVERGRAPH_METRICS_TOKEN`: gives access to the metrics without a session. */
  readonly metricsToken: string | undefined;
  /** `OVERGRAPH_DRAIN`: the time to continue serving as unhealthy after the order to stop. */
  readonly drainMs: number;
  /**
   * Whether traces are sent: `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is
   * the destination; `OTEL_SDK_DISABLED=true` and `OTEL_TRACES_EXPORTER=none` disable them. The libraries
   * of OpenTelemetry read these and their other variables themselves.
   */
  readonly traces: boolean;
}

export type HostPort = HostAndPort;

export interface KeyFiles {
  readonly cert: string;
  readonly key: string;
}

const OIDC_MODES = ['off', 'serve', 'announce'] as const;
type OidcMode = (typeof OIDC_MODES)[number];

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const ANNOUNCED: readonly RouterCapability[] = ['data-model', 'grouped-channels', 'jwt-sessions'];

/** Each variable with its default; the description completes "set it to ...". */
const VARIABLES = z.object({
  OVERGRAPH_HOST: parsed(host).prefault('127.0.0.1').describe('a host name or an IP address'),
  OVERGRAPH_PORT: count(65_535).prefault('1280').describe('a whole number from 0 to 65535'),
  OVERGRAPH_ADVERTISE: parsed(hostPort).optional().describe('host:port, like ctrl.example.com:443'),
  OVERGRAPH_DATA_DIR: parsed((text) => resolve(text))
    .prefault('./data')
    .describe('a directory'),
  DATABASE_URL: parsed(databaseUrl)
    .optional()
    .describe('postgresql://user:password@host:port/database'),
  OVERGRAPH_PG_STATEMENTS: oneOf(['named', 'unnamed'])
    .prefault('named')
    .describe('named or unnamed'),
  OVERGRAPH_ADMIN_USERNAME: z
    .string()
    .min(4, 'is shorter than 4 characters')
    .max(100, 'is longer than 100 characters')
    .prefault('admin')
    .describe('a name of 4 to 100 characters'),
  OVERGRAPH_ADMIN_PASSWORD: z
    .string()
    .min(5, 'is shorter than 5 characters')
    .max(100, 'is longer than 100 characters')
    .optional()
    .describe('a password of 5 to 100 characters'),
  OVERGRAPH_TLS_CERT: file(),
  OVERGRAPH_TLS_KEY: file(),
  OVERGRAPH_CA_BUNDLE: file(),
  OVERGRAPH_SIGNER_CERT: file(),
  OVERGRAPH_SIGNER_KEY: file(),
  OVERGRAPH_CTRL_ADDRESS: parsed(ctrlAddress)
    .optional()
    .describe('tls:host:port, like tls:ctrl.example.com:6262'),
  OVERGRAPH_CTRL_LISTEN: parsed(hostPort).optional().describe('host:port, like 0.0.0.0:6262'),
  OVERGRAPH_HEALTH_LISTEN: parsed(hostPort).optional().describe('host:port, like 0.0.0.0:9090'),
  OVERGRAPH_PEER_ADDRESS: parsed(hostPort).optional().describe('host:port, like 10.0.0.11:1280'),
  OVERGRAPH_ROUTER_CAPABILITIES: someOf(ANNOUNCED)
    .prefault(ANNOUNCED.join(','))
    .describe(`none, or some of ${ANNOUNCED.join(', ')}, separated by commas`),
  OVERGRAPH_SECRET_KEY: parsed(secretKey)
    .optional()
    .describe('32 bytes as base64, or a file that holds them (openssl rand -base64 32)'),
  OVERGRAPH_ALLOW_OPEN_KEY_FILES: oneOf(['true', 'false'])
    .prefault('false')
    .describe('true or false'),
  OVERGRAPH_CORS_ORIGINS: parsed(origins)
    .optional()
    .describe('origins separated by commas, like https://console.example.com'),
  OVERGRAPH_SPA: parsed(spaFolders)
    .optional()
    .describe('path=folder, several separated by commas, like /zac=/srv/zac'),
  OVERGRAPH_SPA_ORIGINS: parsed(assetOrigins)
    .prefault('')
    .describe('origins separated by commas, like https://tile.example.com'),
  OVERGRAPH_TRUST_DOMAIN: z
    .string()
    .regex(/^[a-z0-9._-]{1,255}$/, 'is not a SPIFFE trust domain')
    .optional()
    .describe('at most 255 of a-z, 0-9, dot, dash and underscore, without spiffe://'),
  OVERGRAPH_OIDC: oneOf(OIDC_MODES)
    .prefault('serve')
    .describe(`one of ${OIDC_MODES.join(', ')}`),
  OVERGRAPH_OIDC_HOSTS: parsed(hosts)
    .prefault('')
    .describe('host names separated by commas, like ctrl.example.com'),
  OVERGRAPH_OIDC_REDIRECTS: parsed(redirects)
    .prefault('')
    .describe('addresses separated by commas, like https://console.example.com/auth/callback'),
  OVERGRAPH_OIDC_ACCESS_LIFETIME: lifetime('30m'),
  OVERGRAPH_OIDC_REFRESH_LIFETIME: lifetime('24h'),
  OVERGRAPH_SESSION_TIMEOUT: lifetime('30m'),
  OVERGRAPH_ENROLLMENT_LIFETIME: lifetime('180m'),
  OVERGRAPH_ROUTER_ENROLLMENT_LIFETIME: lifetime('180m'),
  OVERGRAPH_ROUTER_NAMES: parsed(namePatterns)
    .optional()
    .describe('names separated by commas, like *.routers.example.com,10.1.0.0/16'),
  OVERGRAPH_LOGIN_LIMIT: limit('20'),
  OVERGRAPH_RATE_LIMIT: limit('1000'),
  OVERGRAPH_SESSION_RATE_LIMIT: limit('300'),
  OVERGRAPH_CONCURRENCY: limit('32'),
  OVERGRAPH_REQUEST_TIMEOUT: lifetime('10s'),
  OVERGRAPH_MAX_CONNECTIONS: limit('10000'),
  OVERGRAPH_ADDRESS_CONNECTIONS: limit('1000'),
  OVERGRAPH_GRAPHQL_BUDGET: limit('3000000', 1_000_000_000),
  OVERGRAPH_WORKERS: parsed(workers)
    .prefault(String(defaultWorkers()))
    .describe(`a whole number from 1 to ${String(MAX_WORKERS)}`),
  OVERGRAPH_JWKS_ALLOW_PRIVATE: oneOf(['true', 'false'])
    .prefault('false')
    .describe('true or false'),
  OVERGRAPH_JWKS_GRACE: parsed(durationOrNone)
    .prefault('5m')
    .describe('0s, or a whole number with a unit, like 5m'),
  OVERGRAPH_JWT_LEEWAY: parsed(leeway)
    .prefault('30s')
    .describe('0s, or a whole number with a unit up to 10m, like 30s'),
  OVERGRAPH_CHANGES_KEEP: lifetime('90d'),
  OVERGRAPH_CHANGES_MAX: count(10_000_000)
    .prefault('1000000')
    .describe('a whole number up to 10000000; 0 is no bound'),
  OVERGRAPH_CHANGES_SINK: parsed(sink).optional().describe('stdout or the path of a file'),
  OVERGRAPH_SMART_REROUTING: oneOf(['true', 'false']).prefault('false').describe('true or false'),
  OVERGRAPH_USAGE_KEEP: lifetime('400d'),
  OVERGRAPH_LOGINS_KEEP: lifetime('30d'),
  OVERGRAPH_EVENTS: parsed(sink).optional().describe('stdout or the path of a YAML or JSON file'),
  OVERGRAPH_LOG_LEVEL: oneOf(LOG_LEVELS)
    .prefault('info')
    .describe(`one of ${LOG_LEVELS.join(', ')}`),
  OVERGRAPH_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'is not 16 to 200 characters of ASCII without spaces')
    .optional()
    .describe('a random text (openssl rand -hex 32)'),
  OTEL_EXPORTER_OTLP_ENDPOINT: parsed(collector).optional().describe('http(s)://host:port'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: parsed(collector)
    .optional()
    .describe('http(s)://host:port/v1/traces'),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: oneOf(['otlp', 'none']).optional().describe('otlp or none'),
  OVERGRAPH_DRAIN: parsed(durationOrNone)
    .prefault('0s')
    .describe('0s, or a whole number with a unit, like 5s'),
});

type Variables = z.infer<typeof VARIABLES>;

/**
 * Gives the configuration from the environment. The first invalid variable throws a `StartError` with
 * its name, the fault, and valid values.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = VARIABLES.safeParse(set);
  if (!result.success) throw explain(result.error);
  return configFrom(result.data);
}

function explain(error: z.ZodError): StartError {
  const issue = error.issues[0];
  const name = String(issue?.path[0]);
  const schemas: Readonly<Record<string, { readonly description?: string | undefined }>> =
    VARIABLES.shape;
  return new StartError(
    `${name} ${issue?.message ?? 'is wrong'}`,
    `set it to ${schemas[name]?.description ?? 'another value'}`,
  );
}

function oidcFrom(v: Variables): Config['oidc'] {
  requireRouterKeys(v);
  return {
    mode: v.OVERGRAPH_OIDC,
    hosts: v.OVERGRAPH_OIDC_HOSTS,
    redirects: v.OVERGRAPH_OIDC_REDIRECTS,
    accessMs: v.OVERGRAPH_OIDC_ACCESS_LIFETIME,
    refreshMs: v.OVERGRAPH_OIDC_REFRESH_LIFETIME,
  };
}

/** Clients that are told to use OpenID Connect show routers nothing but tokens that these verify. */
function requireRouterKeys(v: Variables): void {
  const needed: readonly RouterCapability[] = ['data-model', 'jwt-sessions'];
  const isVerified = needed.every((name) => v.OVERGRAPH_ROUTER_CAPABILITIES.includes(name));
  if (v.OVERGRAPH_OIDC !== 'announce' || isVerified) return;
  throw new StartError(
    'OVERGRAPH_OIDC is announce, but routers do not learn the keys of access tokens',
    `set OVERGRAPH_ROUTER_CAPABILITIES to ${ANNOUNCED.join(',')}, or OVERGRAPH_OIDC to serve`,
  );
}

function configFrom(v: Variables): Config {
  const advertise = v.OVERGRAPH_ADVERTISE ?? { host: 'localhost', port: v.OVERGRAPH_PORT };
  const ctrlPort = v.OVERGRAPH_CTRL_LISTEN?.port ?? advertise.port;
  const listen = { host: v.OVERGRAPH_HOST, port: v.OVERGRAPH_PORT };
  return {
    listen,
    advertise,
    dataDir: v.OVERGRAPH_DATA_DIR,
    database: { url: v.DATABASE_URL, namedStatements: v.OVERGRAPH_PG_STATEMENTS === 'named' },
    admin: { username: v.OVERGRAPH_ADMIN_USERNAME, password: v.OVERGRAPH_ADMIN_PASSWORD },
    pki: {
      tls: keyFiles('OVERGRAPH_TLS', v.OVERGRAPH_TLS_CERT, v.OVERGRAPH_TLS_KEY),
      signer: keyFiles('OVERGRAPH_SIGNER', v.OVERGRAPH_SIGNER_CERT, v.OVERGRAPH_SIGNER_KEY),
      caBundle: v.OVERGRAPH_CA_BUNDLE,
      trustDomain: v.OVERGRAPH_TRUST_DOMAIN,
      secretKey: v.OVERGRAPH_SECRET_KEY,
      allowOpenKeyFiles: v.OVERGRAPH_ALLOW_OPEN_KEY_FILES === 'true',
    },
    ctrlAddress: v.OVERGRAPH_CTRL_ADDRESS ?? `tls:${advertise.host}:${String(ctrlPort)}`,
    ctrlListen: v.OVERGRAPH_CTRL_LISTEN,
    healthListen: v.OVERGRAPH_HEALTH_LISTEN,
    peerAddress: peerAddress(v.OVERGRAPH_PEER_ADDRESS ?? listen, advertise),
    routerCapabilities: v.OVERGRAPH_ROUTER_CAPABILITIES,
    corsOrigins: v.OVERGRAPH_CORS_ORIGINS,
    spas: v.OVERGRAPH_SPA ?? [],
    spaOrigins: v.OVERGRAPH_SPA_ORIGINS,
    oidc: oidcFrom(v),
    sessionTimeoutMs: v.OVERGRAPH_SESSION_TIMEOUT,
    enrollmentLifetimeMs: v.OVERGRAPH_ENROLLMENT_LIFETIME,
    routerEnrollmentLifetimeMs: v.OVERGRAPH_ROUTER_ENROLLMENT_LIFETIME,
    routerNames: v.OVERGRAPH_ROUTER_NAMES,
    loginLimit: v.OVERGRAPH_LOGIN_LIMIT,
    limits: {
      addressRate: v.OVERGRAPH_RATE_LIMIT,
      sessionRate: v.OVERGRAPH_SESSION_RATE_LIMIT,
      concurrency: v.OVERGRAPH_CONCURRENCY,
      requestMs: v.OVERGRAPH_REQUEST_TIMEOUT,
      connections: v.OVERGRAPH_MAX_CONNECTIONS,
      addressConnections: v.OVERGRAPH_ADDRESS_CONNECTIONS,
      graphqlBudget: v.OVERGRAPH_GRAPHQL_BUDGET,
    },
    workers: v.OVERGRAPH_WORKERS,
    jwksAllowPrivate: v.OVERGRAPH_JWKS_ALLOW_PRIVATE === 'true',
    jwksGraceMs: v.OVERGRAPH_JWKS_GRACE,
    jwtLeewayMs: v.OVERGRAPH_JWT_LEEWAY,
    changes: {
      keepMs: v.OVERGRAPH_CHANGES_KEEP,
      most: v.OVERGRAPH_CHANGES_MAX,
      sink: v.OVERGRAPH_CHANGES_SINK,
    },
    smartRerouting: v.OVERGRAPH_SMART_REROUTING === 'true',
    usageKeepMs: v.OVERGRAPH_USAGE_KEEP,
    loginsKeepMs: v.OVERGRAPH_LOGINS_KEEP,
    events: v.OVERGRAPH_EVENTS,
    logLevel: v.OVERGRAPH_LOG_LEVEL,
    metricsToken: v.OVERGRAPH_METRICS_TOKEN,
    drainMs: v.OVERGRAPH_DRAIN,
    traces: isTracing(v),
  };
}

const isTracing = (v: Variables): boolean =>
  (v.OTEL_EXPORTER_OTLP_ENDPOINT ?? v.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined &&
  v.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  v.OTEL_TRACES_EXPORTER !== 'none';

function keyFiles(
  prefix: string,
  cert: string | undefined,
  key: string | undefined,
): KeyFiles | undefined {
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert === undefined && key === undefined) return undefined;
  const [given, missing] = key === undefined ? ['CERT', 'KEY'] : ['KEY', 'CERT'];
  throw new StartError(
    `${prefix}_${given} is set without ${prefix}_${missing}`,
    'set both or neither',
  );
}
