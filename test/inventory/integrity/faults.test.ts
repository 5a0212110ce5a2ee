import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { uniqueOf } from '../../../src/kernel/declare/resource.js';
import { snakeCase } from '../../../src/base/names.js';
import { catalog } from '../../../src/resources/index.js';
import { InProcess } from '../../support/in-process.js';
import { ownNetwork } from '../transfer/network.js';
import { check, fix } from './runs.js';

/** Each kind of fault is planted by SQL, reported, put right where that is safe, and then gone. */

let on: InProcess;

beforeAll(async () => {
  on = await InProcess.start();
  await on.read(
    'mutation ($document: JSON!) { importNetwork(document: $document) { faultCount } }',
    {
      document: await ownNetwork(),
    },
  );
  const ada = await on.create('Identity', {
    name: 'ada-of-tests',
    type: 'Default',
    isAdmin: false,
    enrollment: { ott: true },
  });
  await on.create('Authenticator', {
    identityId: ada,
    method: 'updb',
    username: 'ada-of-tests',
    password: 'secret enough',
  });
  const grace = await on.create('Identity', { name: 'grace', type: 'Default', isAdmin: false });
  await on.openSession(grace);
  await on.create('Config', {
    name: 'lonely',
    configTypeId: await on.create('ConfigType', { name: 'free-of-tests' }),
    data: {},
  });
  await on.create('EdgeRouter', { name: 'tunneler-of-tests', isTunnelerEnabled: true });
  const service = await on.create('Service', {
    name: 'service-of-tests',
    encryptionRequired: true,
  });
  await on.create('ServicePolicy', {
    name: 'policy-of-tests',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${ada}`],
    serviceRoles: ['#some'],
  });
  const config = await on.create('Config', {
    name: 'config-of-tests',
    configTypeId: await on.create('ConfigType', { name: 'type-of-tests' }),
    data: { port: 80 },
  });
  await on.read(
    'mutation ($id: ID!, $configs: [ServiceConfigInput!]!) { associateServiceConfigs(id: $id, configs: $configs) }',
    {
      id: ada,
      configs: [{ serviceId: service, configId: config }],
    },
  );
});
afterAll(() => on.stop());

const run = (text: string): Promise<unknown> => on.parts.database.pool.query(text);

interface Fault {
  readonly name: string;
  /** Constraints that stand in the way, as `table.constraint`. */
  readonly without?: readonly string[];
  readonly plant: string;
  readonly says: RegExp;
  /** Where it is not safe to put right: how the operator does. */
  readonly cure?: string;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'a reference list with an id of nobody',
    plant: "update service set configs = '{nobody}' where name = 'service-of-tests'",
    says: /^service \S+ \("service-of-tests"\) configs names config nobody, which does not exist$/,
  },
  {
    name: 'a role of nobody',
    plant:
      "update service_policy set identity_roles = '{@nobody,@nowhere}' where name = 'policy-of-tests'",
    says: /identityRoles names identity nobody, identity nowhere, which do not exist$/,
  },
  {
    name: 'hosting costs for no service',
    plant: `update identity set service_hosting_costs = '{"nobody": 5}' where name = 'ada-of-tests'`,
    says: /^identity \S+ \("ada-of-tests"\) serviceHostingCosts names service nobody, which does not exist$/,
  },
  {
    name: 'hosting precedences for no service',
    plant: `update identity set service_hosting_precedences = '{"nobody": "failed"}' where name = 'ada-of-tests'`,
    says: /serviceHostingPrecedences names service nobody/,
  },
  {
    name: 'a role without prefix',
    plant:
      "update service_policy set service_roles = '{#some,some}' where name = 'policy-of-tests'",
    says: /serviceRoles is no role list: must start with #/,
  },
  {
    name: 'roles beside #all',
    plant:
      "update service_policy set service_roles = '{#all,#some}' where name = 'policy-of-tests'",
    says: /serviceRoles is no role list: #all must be the only entry/,
  },
  {
    name: 'a role list out of order',
    plant: "update service_policy set service_roles = '{#z,#a,#a}' where name = 'policy-of-tests'",
    says: /serviceRoles is no role list: must be a set/,
  },
  {
    name: 'an authenticator of nobody',
    without: ['authenticator.authenticator_identity_id_fkey'],
    plant: "update authenticator set identity_id = 'nobody' where username = 'ada-of-tests'",
    says: /^authenticator \S+ belongs to identity nobody, which does not exist$/,
  },
  {
    name: 'an enrollment of nobody',
    without: ['enrollment.enrollment_identity_id_fkey'],
    plant:
      "update enrollment set identity_id = 'nobody' where identity_id = (select id from identity where name = 'ada-of-tests')",
    says: /^enrollment \S+ belongs to identity nobody/,
  },
  {
    name: 'an API session of nobody',
    without: ['api_session.api_session_identity_id_fkey'],
    plant:
      "update api_session set identity_id = 'nobody' where identity_id = (select id from identity where name = 'grace')",
    says: /^apiSession \S+ belongs to identity nobody/,
  },
  {
    name: 'an API session of a signer that is gone',
    plant: `insert into api_session (id, created_at, updated_at, token, identity_id, authenticator_id, ip_address, last_activity_at)
      select 'by-jwt', now(), now(), 'by-jwt', id, 'extJwtId:nobody', '', now() from identity where name = 'grace'`,
    says: /^apiSession by-jwt belongs to externalJwtSigner nobody/,
  },
  {
    name: 'a session without API session',
    without: ['session.session_api_session_id_fkey'],
    plant: `insert into session (id, created_at, updated_at, token, api_session_id, identity_id, service_id, type)
      select 'lost', now(), now(), 'lost', 'nobody', i.id, s.id, 'Dial' from identity i, service s
      where i.name = 'grace' and s.name = 'service-of-tests'`,
    says: /^session lost belongs to apiSession nobody/,
  },
  {
    name: 'a config override for no service',
    without: ['service_config_override.service_config_override_service_id_fkey'],
    plant: "update service_config_override set service_id = 'nobody'",
    says: /^service config of identity \S+, service nobody, .* there is no such service$/,
  },
  {
    name: 'a second factor of nobody',
    without: ['mfa.mfa_identity_id_fkey'],
    plant:
      "insert into mfa (identity_id, id, created_at, updated_at, secret, recovery_codes) values ('nobody', 'x', now(), now(), '', '')",
    says: /^second factor of identity nobody: there is no such identity$/,
  },
  {
    name: 'attributes that the memory does not know of',
    plant: "update identity set role_attributes = '{secretly}' where name = 'grace'",
    says: /^identity \S+ is held in memory as something else/,
  },
  {
    name: 'an entity that the memory does not know of',
    plant:
      "insert into service (id, created_at, updated_at, name, encryption_required) values ('silent', now(), now(), 'silent', true)",
    says: /^service silent is not held in memory$/,
  },
  {
    name: 'an entity that only the memory knows of',
    plant: "delete from config where name = 'lonely'",
    says: /^config \S+ is held in memory, and does not exist$/,
  },
  {
    name: 'an auth policy of nobody',
    without: ['identity.identity_auth_policy_id_fkey'],
    plant: "update identity set auth_policy_id = 'nobody' where name = 'grace'",
    says: /authPolicyId names authPolicy nobody/,
    cure: "update identity set auth_policy_id = 'default' where name = 'grace'",
  },
  {
    name: 'a signer of nobody inside an auth policy',
    plant: `update auth_policy set "primary" = jsonb_set("primary", '{extJwt,allowedSigners}', '["nobody"]') where name = 'two factors'`,
    says: /primary.extJwt.allowedSigners names externalJwtSigner nobody/,
    cure: `update auth_policy set "primary" = jsonb_set("primary", '{extJwt,allowedSigners}', '[]') where name = 'two factors'`,
  },
  {
    name: 'a value that its declaration does not allow',
    plant: "update identity set default_hosting_cost = 70000 where name = 'grace'",
    says: /^identity \S+ \("grace"\) defaultHostingCost should be less than or equal to 65535$/,
    cure: "update identity set default_hosting_cost = 0 where name = 'grace'",
  },
  {
    name: 'data that the schema of its type does not allow',
    plant: `update config_type set schema = '{"type":"object","required":["host"]}' where name = 'type-of-tests'`,
    says: /^config \S+ \("config-of-tests"\) would be refused today: /,
    cure: "update config_type set schema = null where name = 'type-of-tests'",
  },
  {
    name: 'a name that two entities have',
    plant: `drop index identity_name_key; update identity set name = 'ada-of-tests' where name = 'grace'`,
    says: /^identities \S+, \S+ share the same name "ada-of-tests"$/,
    cure: `update identity set name = 'grace' where name = 'ada-of-tests' and role_attributes = '{secretly}';
      create unique index identity_name_key on identity (name)`,
  },
  {
    name: 'two authenticators of one method',
    plant: `drop index authenticator_identity_id_method_key;
      insert into authenticator (id, created_at, updated_at, identity_id, method)
      select v, now(), now(), id, 'cert' from identity, (values ('one'), ('two')) x(v) where name = 'grace'`,
    says: /^authenticators one, two share the same identityId, method /,
    cure: `delete from authenticator where id = 'two';
      create unique index authenticator_identity_id_method_key on authenticator (identity_id, method)`,
  },
];

const lastChange = async (): Promise<bigint> => {
  const [row] = await on.parts.store.query(
    sql<{ seq: string }>`select coalesce(max(seq), 0)::text as seq from change`,
  );
  return BigInt(String(row?.seq));
};

describe('the data integrity check', () => {
  test('takes no offence at news of what has no table of its own', async () => {
    await run(`insert into change (epoch, at, entity_type, entity_id, operation, revision, after)
      select 1, now(), name, 'somebody', 'update', 1, '{}' from unnest('{PostureData,ServiceRequestFailure}'::text[]) name`);
    expect(await check(on)).toStrictEqual([]);
  });

  test('tells a fault once, however many show the entity', async () => {
    await run(`update router set name = '' where name = 'tunneler-of-tests'`);
    const found = await check(on);
    await run(`update router set name = 'tunneler-of-tests' where name = ''`);
    expect(found).toHaveLength(1);
  });

  test('finds nothing in a sound network', async () => {
    expect(await check(on)).toStrictEqual([]);
  });

  test.each(FAULTS)('knows $name', async ({ without = [], plant, says, cure }) => {
    for (const name of without) {
      const [table = '', constraint = ''] = name.split('.');
      await run(`alter table ${table} drop constraint ${constraint}`);
    }
    await run(plant);
    // What was changed by SQL is news to the memory as well.
    const seen = (await check(on)).filter(
      ({ description }) => says.test(description) || !description.includes('held in memory'),
    );
    expect(seen).toStrictEqual([{ description: expect.stringMatching(says), fixed: false }]);
    const before = await lastChange();
    const found = await fix(on);
    expect(found).toStrictEqual([
      { description: expect.stringMatching(says), fixed: cure === undefined },
    ]);
    if (cure === undefined) expect(await lastChange()).toBeGreaterThan(before);
    else await run(cure);
    expect(await check(on)).toStrictEqual([]);
  });

  test('puts right what other controllers hold as well', async () => {
    const other = await InProcess.start(on);
    try {
      await run("update identity set role_attributes = '{both}' where name = 'grace'");
      expect(await fix(on)).toHaveLength(1);
      const [change] = await on.parts.store.query(
        sql<{
          after: object;
        }>`select entity_id, revision, after from change order by seq desc limit 1`,
      );
      expect(change?.after).toMatchObject({ roleAttributes: ['both'] });
      expect(await check(other)).toStrictEqual([]);
    } finally {
      await other.stop();
    }
  });

  test('lists at most 1,000 findings, and tells that there are more', async () => {
    await run(`insert into service (id, created_at, updated_at, name, encryption_required, configs)
      select 'many' || n, now(), now(), 'many' || n, true, '{nobody}' from generate_series(1, 1100) n`);
    const found = await fix(on);
    expect(found).toHaveLength(1000);
    const data = await on.read<{ dataIntegrityResults: { tooManyErrors: boolean } }>(
      '{ dataIntegrityResults { tooManyErrors } }',
    );
    expect(data.dataIntegrityResults.tooManyErrors).toBe(true);
    const [left] = await on.parts.store.query(
      sql<{
        count: number;
      }>`select count(*)::int as count from service where 'nobody' = any(configs)`,
    );
    expect(left?.count).toBe(0);
  });
});

describe('declared uniqueness', () => {
  // An index over a part of the rows is no key: checks compare all of them.
  test('is that of the unique indexes', async () => {
    const rows = await on.parts.store.query(
      sql<{
        table: string;
        columns: string[];
      }>`select c.relname as "table", array_agg(a.attname order by k.place)::text[] as columns
        from pg_index i join pg_class c on c.oid = i.indrelid
        cross join lateral unnest(i.indkey) with ordinality k(number, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
        where c.relnamespace = 'public'::regnamespace and i.indisunique and not i.indisprimary and i.indpred is null group by i.indexrelid, c.relname`,
    );
    const inDatabase = rows.map((r) => `${r.table}(${r.columns.join()})`);
    const declared = [...catalog.all()].flatMap((resource) =>
      uniqueOf(resource).map((names) => `${resource.table}(${names.map(snakeCase).join()})`),
    );
    expect([...new Set(declared)].sort()).toStrictEqual(inDatabase.sort());
  });
});
