import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/programs/configuration.js';
import { StartError } from '../../src/base/start-error.js';
import { defaultWorkers } from '../../src/programs/workers/default-workers.js';

let folder: string;
const path = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'overgraph-config-'));
  writeFileSync(path('cert.pem'), 'certificate');
  writeFileSync(path('key.pem'), 'key');
  writeFileSync(path('raw.key'), Buffer.alloc(32, 7));
  mkdirSync(path('zac'));
  mkdirSync(path('empty'));
  writeFileSync(path('zac/index.html'), '');
  writeFileSync(path('base64.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function refusal(env: Record<string, string>): StartError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
  throw new Error('accepted');
}

describe('configuration', () => {
  it('has a default for everything', () => {
    expect(loadConfig({})).toEqual({
      listen: { host: '127.0.0.1', port: 1280 },
      advertise: { host: 'localhost', port: 1280 },
      dataDir: resolve('data'),
      database: { url: undefined, namedStatements: true },
      admin: { username: 'admin', password: undefined },
      pki: {
        tls: undefined,
        signer: undefined,
        caBundle: undefined,
        trustDomain: undefined,
        secretKey: undefined,
        allowOpenKeyFiles: false,
      },
      ctrlAddress: 'tls:localhost:1280',
      peerAddress: '127.0.0.1:1280',
      ctrlListen: undefined,
      healthListen: undefined,
      routerCapabilities: ['data-model', 'grouped-channels', 'jwt-sessions'],
      corsOrigins: undefined,
      spas: [],
      spaOrigins: [],
      sessionTimeoutMs: 1_800_000,
      enrollmentLifetimeMs: 10_800_000,
      routerEnrollmentLifetimeMs: 10_800_000,
      routerNames: undefined,
      loginLimit: 20,
      limits: {
        addressRate: 1000,
        sessionRate: 300,
        concurrency: 32,
        requestMs: 10_000,
        connections: 10_000,
        addressConnections: 1000,
        graphqlBudget: 3_000_000,
      },
      jwksAllowPrivate: false,
      jwksGraceMs: 300_000,
      jwtLeewayMs: 30_000,
      changes: { keepMs: 90 * 86_400_000, most: 1_000_000, sink: undefined },
      smartRerouting: false,
      usageKeepMs: 400 * 86_400_000,
      loginsKeepMs: 30 * 86_400_000,
      events: undefined,
      logLevel: 'info',
      metricsToken: undefined,
      oidc: {
        mode: 'serve',
        hosts: [],
        redirects: [],
        accessMs: 1_800_000,
        refreshMs: 86_400_000,
      },
      drainMs: 0,
      workers: defaultWorkers(),
      traces: false,
    });
  });

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig({ OVERGRAPH_PORT: '', DATABASE_URL: '' })).toEqual(loadConfig({}));
  });

  it('advertises the port that it listens on', () => {
    expect(loadConfig({ OVERGRAPH_PORT: '8443' }).advertise).toEqual({
      host: 'localhost',
      port: 8443,
    });
  });

  it.each([
    ['90s', 90_000],
    ['1500ms', 1500],
    ['30m', 1_800_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
  ])('reads the duration %s', (text, milliseconds) => {
    expect(loadConfig({ OVERGRAPH_SESSION_TIMEOUT: text }).sessionTimeoutMs).toBe(milliseconds);
  });

  it.each([
    ['ctrl.example.com:443', 'ctrl.example.com', 443],
    ['10.0.0.1:1280', '10.0.0.1', 1280],
    ['[::1]:1280', '::1', 1280],
  ])('reads the address %s', (text, host, port) => {
    expect(loadConfig({ OVERGRAPH_ADVERTISE: text }).advertise).toEqual({ host, port });
  });

  it.each([
    [{ OVERGRAPH_ADVERTISE: 'a.example:443' }, 'tls:a.example:443'],
    [
      { OVERGRAPH_ADVERTISE: 'a.example:443', OVERGRAPH_CTRL_LISTEN: '0.0.0.0:6262' },
      'tls:a.example:6262',
    ],
  ])('finds the address for routers with %j', (env, address) => {
    expect(loadConfig(env).ctrlAddress).toBe(address);
  });

  it.each([
    [{ OVERGRAPH_HOST: '10.0.0.11' }, '10.0.0.11:1280'],
    [{ OVERGRAPH_HOST: '0.0.0.0', OVERGRAPH_ADVERTISE: 'a.example:443' }, 'a.example:1280'],
    [{ OVERGRAPH_HOST: '::1', OVERGRAPH_PORT: '443' }, '[::1]:443'],
    [{ OVERGRAPH_HOST: '0.0.0.0', OVERGRAPH_PEER_ADDRESS: 'b.example:2' }, 'b.example:2'],
    [{ OVERGRAPH_PORT: '0' }, undefined],
  ])('finds the address for other controllers with %j', (env, address) => {
    expect(loadConfig(env).peerAddress).toBe(address);
  });

  it.each([
    ['', ['data-model', 'grouped-channels', 'jwt-sessions']],
    ['none', []],
    ['data-model', ['data-model']],
    ['jwt-sessions, data-model', ['jwt-sessions', 'data-model']],
  ])('announces to routers with "%s" %j', (text, capabilities) => {
    const config = loadConfig({ OVERGRAPH_ROUTER_CAPABILITIES: text });
    expect(config.routerCapabilities).toEqual(capabilities);
  });

  it('reads every other variable', () => {
    const config = loadConfig({
      OVERGRAPH_HOST: '::',
      DATABASE_URL: 'postgresql://postgres@/overgraph?host=/run/postgresql',
      OVERGRAPH_PG_STATEMENTS: 'unnamed',
      OVERGRAPH_TLS_CERT: path('cert.pem'),
      OVERGRAPH_TLS_KEY: path('key.pem'),
      OVERGRAPH_CTRL_ADDRESS: 'tls:ctrl.example.com:6262',
      OVERGRAPH_CTRL_LISTEN: '0.0.0.0:6263',
      OVERGRAPH_HEALTH_LISTEN: '127.0.0.1:9090',
      OVERGRAPH_CORS_ORIGINS: 'https://a.example.com, http://localhost:3000',
      OVERGRAPH_JWKS_ALLOW_PRIVATE: 'true',
      OVERGRAPH_JWKS_GRACE: '0s',
      OVERGRAPH_JWT_LEEWAY: '10m',
      OVERGRAPH_ROUTER_NAMES: '*.Routers.example.com, 10.1.0.0/16',
      OVERGRAPH_RATE_LIMIT: '0',
      OVERGRAPH_CHANGES_KEEP: '7d',
      OVERGRAPH_CHANGES_MAX: '0',
      OVERGRAPH_CHANGES_SINK: 'stdout',
      OVERGRAPH_SMART_REROUTING: 'true',
      OVERGRAPH_USAGE_KEEP: '30d',
      OVERGRAPH_LOGINS_KEEP: '7d',
      OVERGRAPH_EVENTS: path('events.yml'),
      OVERGRAPH_METRICS_TOKEN: '0123456789abcdef',
      OVERGRAPH_DRAIN: '5s',
      OVERGRAPH_SESSION_RATE_LIMIT: '1',
      OVERGRAPH_CONCURRENCY: '2',
      OVERGRAPH_REQUEST_TIMEOUT: '3s',
      OVERGRAPH_MAX_CONNECTIONS: '4',
      OVERGRAPH_ADDRESS_CONNECTIONS: '5',
      OVERGRAPH_GRAPHQL_BUDGET: '6000000',
    });
    expect(config).toMatchObject({
      listen: { host: '::' },
      database: { url: expect.stringContaining('/run/postgresql'), namedStatements: false },
      pki: { tls: { cert: path('cert.pem'), key: path('key.pem') } },
      ctrlAddress: 'tls:ctrl.example.com:6262',
      ctrlListen: { host: '0.0.0.0', port: 6263 },
      healthListen: { host: '127.0.0.1', port: 9090 },
      corsOrigins: ['https://a.example.com', 'http://localhost:3000'],
      jwksAllowPrivate: true,
      jwksGraceMs: 0,
      jwtLeewayMs: 600_000,
      routerNames: ['*.routers.example.com', '10.1.0.0/16'],
      limits: {
        addressRate: 0,
        sessionRate: 1,
        concurrency: 2,
        requestMs: 3000,
        connections: 4,
        addressConnections: 5,
        graphqlBudget: 6_000_000,
      },
      changes: { keepMs: 7 * 86_400_000, most: 0, sink: 'stdout' },
      smartRerouting: true,
      usageKeepMs: 30 * 86_400_000,
      loginsKeepMs: 7 * 86_400_000,
      events: { file: path('events.yml') },
      metricsToken: '0123456789abcdef',
      drainMs: 5000,
    });
    expect(
      loadConfig({ OVERGRAPH_CHANGES_SINK: '/var/log/changes.jsonl' }).changes.sink,
    ).toStrictEqual({ file: '/var/log/changes.jsonl' });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' }, true],
    [{ OTEL_SERVICE_NAME: 'overgraph', OTEL_TRACES_SAMPLER: 'always_on' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_SDK_DISABLED: 'true' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
  ])('sends traces with %j: %s', (env, traces) => {
    expect(loadConfig(env).traces).toBe(traces);
  });

  it('reads the secret key as base64, from a raw file and from a base64 file', () => {
    const key = Buffer.alloc(32, 7);
    const read = (text: string) => loadConfig({ OVERGRAPH_SECRET_KEY: text }).pki.secretKey;
    expect(read(key.toString('base64'))).toEqual({ bytes: key, file: undefined });
    for (const file of [path('raw.key'), path('base64.key')]) {
      expect(read(file)).toEqual({ bytes: key, file });
    }
  });

  it('reads the folders of built applications', () => {
    const { spas } = loadConfig({
      OVERGRAPH_SPA: `/zac=${path('zac')}, /apps/own.console/=${path('zac')}`,
    });
    expect(spas).toEqual([
      { path: '/zac', folder: path('zac') },
      { path: '/apps/own.console', folder: path('zac') },
    ]);
  });

  it('reads the origins of their images, styles and fonts', () => {
    const { spaOrigins } = loadConfig({
      OVERGRAPH_SPA_ORIGINS: 'https://a.tile.example.org, https://fonts.example.com:8443',
    });
    expect(spaOrigins).toEqual(['https://a.tile.example.org', 'https://fonts.example.com:8443']);
  });

  it.each([
    'http://tile.example.org',
    'https://tile.example.org/',
    'https://*.example.org',
    "https://a.example;script-src'unsafe-inline'",
    'https://a.example https://b.example',
    'tile.example.org',
  ])('refuses the origin %s', (origin) => {
    const error = refusal({ OVERGRAPH_SPA_ORIGINS: `https://a.example,${origin}` });
    expect(error.cause).toBe(`OVERGRAPH_SPA_ORIGINS "${origin}" is not an origin over TLS`);
    expect(error.cure).toMatch(/^set it to origins/);
  });

  it.each([
    ['/zac', '"/zac" is not path=folder'],
    ['=ZAC', '"=ZAC" is not path=folder'],
    ['/zac=ZAC,', '"" is not path=folder'],
    ['zac=ZAC', '"zac" is not a path like /zac'],
    ['/=ZAC', '"/" is not a path like /zac'],
    ['//zac=ZAC', '"//zac" is not a path like /zac'],
    ['/a/../zac=ZAC', '"/a/../zac" is not a path like /zac'],
    ['/.zac=ZAC', '"/.zac" is not a path like /zac'],
    ['/z ac=ZAC', '"/z ac" is not a path like /zac'],
    ['/zac?=ZAC', '"/zac?" is not a path like /zac'],
    ['/zac=ZAC,/zac/=ZAC', 'has both "/zac" and "/zac"'],
    ['/zac=ZAC,/zac/b=ZAC', 'has both "/zac" and "/zac/b"'],
    ['/zac=/nowhere', 'names "/nowhere", which is no folder'],
    ['/zac=KEY', 'names "KEY", which is no folder'],
    ['/zac=EMPTY', 'names "EMPTY", which has no index.html'],
  ])('refuses the applications %s', (text, fault) => {
    const inFolder = (each: string): string =>
      each
        .replaceAll('ZAC', path('zac'))
        .replaceAll('EMPTY', path('empty'))
        .replaceAll('KEY', path('key.pem'));
    const error = refusal({ OVERGRAPH_SPA: inFolder(text) });
    expect(error.cause).toBe(`OVERGRAPH_SPA ${inFolder(fault)}`);
    expect(error.cure).toMatch(/^set it to path=folder/);
  });

  it.each([
    ['OVERGRAPH_HOST', 'not a host', '"not a host" is not a host name or an address'],
    ['OVERGRAPH_PORT', 'http', '"http" is not a whole number up to 65535'],
    ['OVERGRAPH_PORT', '65536', '"65536" is not a whole number up to 65535'],
    ['OVERGRAPH_PORT', '-1', '"-1" is not a whole number up to 65535'],
    ['OVERGRAPH_ADVERTISE', 'ctrl.example.com', '"ctrl.example.com" is not host:port'],
    ['OVERGRAPH_ADVERTISE', '::1', '"::1" is not host:port'],
    ['OVERGRAPH_ADVERTISE', 'a:0', '"a:0" has port 0'],
    ['OVERGRAPH_ADVERTISE', 'https://a:1', '"https://a" is not a host name or an address'],
    ['DATABASE_URL', 'mysql://root:secret@db', 'is not a PostgreSQL URL'],
    ['OVERGRAPH_PG_STATEMENTS', 'off', '"off" is unknown'],
    ['OVERGRAPH_ADMIN_USERNAME', 'abc', 'is shorter than 4 characters'],
    ['OVERGRAPH_ADMIN_PASSWORD', 'abcd', 'is shorter than 5 characters'],
    ['OVERGRAPH_CA_BUNDLE', '/nowhere.pem', '"/nowhere.pem" can not be read'],
    ['OVERGRAPH_CA_BUNDLE', '/', '"/" is not a file'],
    ['OVERGRAPH_CTRL_ADDRESS', 'a:1', '"a:1" does not begin with tls:'],
    ['OVERGRAPH_CTRL_LISTEN', '6262', '"6262" is not host:port'],
    ['OVERGRAPH_ROUTER_CAPABILITIES', 'data-model,more', '"more" is unknown'],
    ['OVERGRAPH_ROUTER_CAPABILITIES', 'none,data-model', '"none" is unknown'],
    ['OVERGRAPH_SECRET_KEY', 'c2hvcnQ=', 'is neither a readable file nor 32 bytes of base64'],
    ['OVERGRAPH_CORS_ORIGINS', 'https://a/path', '"https://a/path" is not an origin'],
    ['OVERGRAPH_CORS_ORIGINS', '*', '"*" is not an origin'],
    ['OVERGRAPH_TRUST_DOMAIN', 'spiffe://a', 'is not a SPIFFE trust domain'],
    ['OVERGRAPH_SESSION_TIMEOUT', '30', '"30" is not a duration'],
    ['OVERGRAPH_SESSION_TIMEOUT', '0s', '"0s" is not between one second and ten years'],
    ['OVERGRAPH_LOGIN_LIMIT', '1.5', '"1.5" is not a whole number up to 1000000'],
    ['OVERGRAPH_WORKERS', '0', '"0" is not a number of processes'],
    ['OVERGRAPH_WORKERS', '33', '"33" is not a whole number up to 32'],
    ['OVERGRAPH_JWKS_ALLOW_PRIVATE', 'yes', '"yes" is unknown'],
    ['OVERGRAPH_JWKS_GRACE', '5', '"5" is not a duration'],
    ['OVERGRAPH_JWT_LEEWAY', '11m', '"11m" is more than ten minutes'],
    [
      'OVERGRAPH_ROUTER_NAMES',
      'a.example,10.0.0.0/33',
      '"10.0.0.0/33" is not a DNS name, an address or a range of addresses',
    ],
    ['OVERGRAPH_ROUTER_NAMES', ',', '"" is not a DNS name, an address or a range of addresses'],
    ['OVERGRAPH_CHANGES_KEEP', 'for ever', '"for ever" is not a duration'],
    ['OVERGRAPH_CHANGES_MAX', '10000001', '"10000001" is not a whole number up to 10000000'],
    ['OVERGRAPH_LOG_LEVEL', 'loud', '"loud" is unknown'],
    [
      'OVERGRAPH_METRICS_TOKEN',
      '0123456789abcde',
      'is not 16 to 200 characters of ASCII without spaces',
    ],
    ['OVERGRAPH_DRAIN', '500ms', '"500ms" is not between one second and ten years'],
  ])('refuses %s=%s with the name, the fault and the cure', (name, value, fault) => {
    const error = refusal({ [name]: value });
    expect(error.cause).toBe(`${name} ${fault}`);
    expect(error.cure).toMatch(/^set it to \S/);
    expect(error.message).toBe(`overgraph: ${error.cause}: ${error.cure}`);
  });

  it.each([
    ['DATABASE_URL', 'mysql://root:hunter2@db'],
    ['OVERGRAPH_SECRET_KEY', 'hunter2'],
    ['OVERGRAPH_METRICS_TOKEN', 'hunter2'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'user:hunter2@collector'],
    ['OVERGRAPH_ADMIN_PASSWORD', 'hunter2'.repeat(20)],
  ])('never repeats the value of %s', (name, value) => {
    expect(refusal({ [name]: value }).message).not.toContain('hunter2');
  });

  it.each([
    ['OVERGRAPH_TLS_CERT', 'OVERGRAPH_TLS_KEY'],
    ['OVERGRAPH_TLS_KEY', 'OVERGRAPH_TLS_CERT'],
    ['OVERGRAPH_SIGNER_CERT', 'OVERGRAPH_SIGNER_KEY'],
    ['OVERGRAPH_SIGNER_KEY', 'OVERGRAPH_SIGNER_CERT'],
  ])('refuses %s without %s', (given, missing) => {
    expect(refusal({ [given]: path('cert.pem') }).cause).toBe(`${given} is set without ${missing}`);
  });

  it.each(['none', 'jwt-sessions', 'grouped-channels,data-model'])(
    'refuses to announce OpenID Connect to clients while it announces %s to routers',
    (capabilities) => {
      const env = { OVERGRAPH_OIDC: 'announce', OVERGRAPH_ROUTER_CAPABILITIES: capabilities };
      expect(refusal(env).message).toContain('routers do not learn the keys of access tokens');
    },
  );
});
