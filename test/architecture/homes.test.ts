import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { catalog } from '../../src/resources/index.js';
import { declaredTables } from '../../src/data/store/tables/index.js';

/** Each table has one home below `src/data/rows`, and what a home reads beside its own tables is declared. */

const FOLDER = 'src/data/rows';

const tables = declaredTables(catalog);

/** Tables that the store itself reads and writes alone. */
const OF_STORE = ['lease', 'network_record'];

/** Home -> the tables that are its own. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  'access-request': ['access_offer', 'access_request'],
  'access-review': ['access_review_line'],
  'access-use': ['access_use', 'access_use_recording'],
  'api-session': ['api_session', 'api_session_certificate'],
  'auth-policy': ['auth_policy'],
  authenticator: ['authenticator', 'authenticator_sender'],
  authorization: ['authorization_request', 'used_refresh_token'],
  'certificate-authority': ['certificate_authority'],
  change: ['change', 'change_log'],
  clock: [],
  config: ['config', 'config_type'],
  controller: ['controller', 'controller_setting', 'signing_key'],
  directory: ['directory', 'directory_group', 'directory_token', 'directory_user'],
  enrollment: ['enrollment'],
  expiry: [],
  'external-jwt-signer': ['external_jwt_signer'],
  fabric: [
    'circuit',
    'circuit_event',
    'circuit_event_version',
    'circuit_usage',
    'hourly_usage',
    'link',
  ],
  'finding-mute': ['finding_mute'],
  identity: ['identity', 'mfa'],
  inspection: ['inspection', 'inspection_answer'],
  integrity: ['integrity_run'],
  login: ['failed_login', 'hourly_login', 'login_counter'],
  policy: ['access_rule', 'edge_router_policy', 'service_edge_router_policy', 'service_policy'],
  posture: ['api_session_posture', 'identity_posture', 'posture_check'],
  revocation: ['revocation'],
  'role-assignment': ['role_assignment'],
  router: ['presence_version', 'router', 'router_client', 'router_metrics', 'router_presence'],
  service: [
    'service',
    'service_config_override',
    'service_freshness',
    'service_freshness_state',
    'service_request_failure',
  ],
  session: ['session'],
  terminator: ['terminator', 'terminator_cost'],
  trace: ['identity_trace'],
};

/** Home -> the tables of others that one of its statements joins, since it must be one statement. */
const JOINED: Readonly<Record<string, readonly string[]>> = {
  // Offers are for identities by their role attributes; the end of a grant is that of its role assignment.
  'access-request': ['identity', 'role_assignment'],
  // A line shows names and uses as they were when its review began.
  'access-review': ['access_use', 'identity', 'service', 'service_policy'],
  // Uses are those of circuits and terminators, as far as their entities exist.
  'access-use': ['circuit', 'identity', 'router_presence', 'service', 'terminator'],
  // Each request reads what its identity and the auth policy allow; sessions end with those they came by.
  'api-session': [
    'auth_policy',
    'authenticator',
    'certificate_authority',
    'external_jwt_signer',
    'identity',
  ],
  // Each login reads the rules of its identity.
  authenticator: ['auth_policy', 'identity'],
  // An identity of a first login ends when it has no session for as long as its signer says.
  identity: ['api_session', 'auth_policy', 'external_jwt_signer'],
  // A circuit ends with its session.
  fabric: ['session'],
  // The ends of certificates and enrollments, with the names of their entities.
  expiry: [
    'authenticator',
    'certificate_authority',
    'controller',
    'enrollment',
    'external_jwt_signer',
    'identity',
    'router',
  ],
  // How many entities name an authority.
  'certificate-authority': ['authenticator', 'enrollment'],
  // A regular expression names nodes of both kinds.
  controller: ['router'],
  // The members of a group have its role attribute.
  directory: ['role_assignment'],
  // A refused login belongs to an identity while that exists; counts begin where the log does.
  login: ['change', 'change_log', 'identity'],
  // Names for explanations, and locks of policies with those whom they join.
  policy: ['identity', 'router', 'service'],
  // The posture of an identity is that of its sessions, too.
  posture: ['api_session'],
  // Clients are identities, and a router with a tunneler is one.
  router: ['identity'],
  // Names, and the conditions of access beside policies.
  service: ['api_session', 'config', 'identity', 'router', 'terminator'],
  session: ['api_session'],
  // A dial and a request to host ask for their session and its service.
  terminator: ['api_session', 'service', 'session'],
  trace: ['identity'],
};

/** Homes whose callers name the table: the log has changes of each one, and the integrity check reads each one. */
const OF_ANY_TABLE = ['change', 'integrity'];

/** A statement with the name of a table, or of a column, that is not written in the home. */
const COMPOSED_NAME = /\braw\(`"\$\{/;

const textOf = (home: string): string =>
  readdirSync(join(FOLDER, home))
    .map((file) => readFileSync(join(FOLDER, home, file), 'utf8'))
    .join('\n');

/** The tables that the statements and the calls of models of a home name. */
function tablesIn(home: string): string[] {
  const text = textOf(home);
  const inSql = [...text.matchAll(/\b(?:from|join|update|into|using)\s+"?([a-z_]+)"?/g)];
  const inRaw = [...text.matchAll(/\braw\(\s*['"`]"?([a-z_]+)\b/g)];
  const inModels = [...text.matchAll(/\bmodels\.(\w+)\./g)];
  const words = new Set(
    [...inSql, ...inRaw, ...inModels].map(([, word = '']) => word.toLowerCase()),
  );
  return tables
    .filter(({ name, model }) => words.has(name) || words.has(model.toLowerCase()))
    .map(({ name }) => name);
}

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

describe('a table', () => {
  const names = tables.map(({ name }) => name);
  const owned = [...Object.values(OWN).flat(), ...OF_STORE];

  test('has one home at most', () => {
    expect(owned.sort()).toStrictEqual(sorted(owned.filter((name) => names.includes(name))));
  });

  test('has a home, unless the kernel alone reads and writes the resource', () => {
    const ofResources = new Set([...catalog.stored()].map(({ table }) => table));
    const homeless = names.filter((name) => !owned.includes(name));
    expect(homeless.filter((name) => !ofResources.has(name))).toStrictEqual([]);
  });
});

describe('the home', () => {
  test.each(readdirSync(FOLDER))('%s names its own tables, and those that it joins', (home) => {
    const own = OWN[home] ?? [];
    const named = tablesIn(home).filter((table) => !own.includes(table));
    expect(sorted(named)).toStrictEqual(sorted(JOINED[home] ?? []));
  });

  test('has its tables named by callers in few cases', () => {
    const homes = readdirSync(FOLDER).filter((home) => COMPOSED_NAME.test(textOf(home)));
    expect(homes).toStrictEqual(OF_ANY_TABLE);
  });
});
