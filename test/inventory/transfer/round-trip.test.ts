import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sectionsOf } from '../../../src/inventory/transfer/index.js';
import { catalog } from '../../../src/resources/index.js';
import { InProcess } from '../../support/in-process.js';
import { ownNetwork, type Document } from './network.js';
import { exported, mustImport, totals } from './transfers.js';
import { costlyRuns } from '../../support/runs.js';

const ALL_SECTIONS = sectionsOf(catalog).map(({ name }) => name);
const KNOWN_SECTIONS = [
  'externalJwtSigners',
  'authPolicies',
  'certificateAuthorities',
  'configTypes',
  'configs',
  'postureChecks',
  'edgeRouters',
  'services',
  'identities',
  'edgeRouterPolicies',
  'serviceEdgeRouterPolicies',
  'servicePolicies',
  'accessRules',
];

let here: InProcess;
let there: InProcess;
let document: Document;

beforeAll(async () => {
  here = await InProcess.start();
  there = await InProcess.start();
  document = await ownNetwork();
  await mustImport(here, document);
});

afterAll(async () => {
  await here.stop();
  await there.stop();
});

describe('an export', () => {
  it('gives back what an import said, in the order of names', async () => {
    const network = await exported(here);
    expect(network.services).toMatchObject([
      { name: 'plain text', encryptionRequired: false },
      { name: 'web', configs: ['@@home/#1 "é"', '@web host'], roleAttributes: ['front'] },
    ]);
    expect(network.identities?.find(({ name }) => name === 'ann')).toMatchObject({
      authPolicy: '@Default',
      externalId: 'ann@example',
      serviceHostingCosts: { '@web': 10 },
      serviceHostingPrecedences: { '@web': 'required' },
      appData: { theme: { dark: true } },
      tags: { foo: 'bar', nothing: null },
    });
    expect(network.authPolicies).toMatchObject([
      {
        name: 'two factors',
        primary: { extJwt: { allowedSigners: ['@login.example'] } },
        secondary: { requireExtJwtSigner: '@by key', requireTotp: true },
      },
    ]);
    expect(network.servicePolicies).toMatchObject([
      { name: 'bind web', identityRoles: ['@gate'], postureCheckRoles: [] },
      {
        name: 'dial web',
        identityRoles: ['#staff', '@ann'],
        postureCheckRoles: ['#strict', '@mfa'],
      },
    ]);
    expect(network.accessRules).toMatchObject([
      { name: 'staff reaches web', kind: 'MUST_REACH', identityRoles: ['@ann'], tags: {} },
    ]);
    expect(network.postureChecks).toMatchObject([
      { name: 'mac', typeId: 'MAC', macAddresses: ['0123456789ab'] },
      { name: 'mfa', timeoutSeconds: 60 },
      { name: 'os', operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }] },
      { name: 'process', process: { osType: 'Linux', path: '/bin/agent', hashes: [] } },
    ]);
    expect(network.externalJwtSigners).toMatchObject([
      { name: 'by key', kid: 'k1', scopes: [] },
      { name: 'login.example', kid: null, enrollAuthPolicy: '@two factors' },
    ]);
  });

  it('leaves out what the controller makes itself, ids and secrets', async () => {
    const network = await exported(here);
    expect(network.configTypes?.map(({ name }) => name)).toEqual(['anything', 'limits']);
    expect(network.authPolicies?.map(({ name }) => name)).toEqual(['two factors']);
    expect(network.edgeRouterPolicies?.map(({ name }) => name)).toEqual(['all gates']);
    const text = JSON.stringify(network);
    const { rows } = await here.parts.database.pool.query<{ secret: string }>(
      `select token as secret from enrollment union all select jwt from enrollment
       union all select password_hash from authenticator union all select verification_token from certificate_authority
       union all select id from identity union all select id from router union all select id from service`,
    );
    expect(rows.length).toBeGreaterThan(8);
    for (const { secret } of rows) expect(text).not.toContain(secret);
  });

  it('imported again changes nothing', async () => {
    const again = totals(await mustImport(here, await exported(here)));
    expect(again).toMatchObject({ created: 0, updated: 0, skipped: 0 });
    expect(again.unchanged).toBeGreaterThan(20);
  });

  it('imported into an empty network makes an equal one', async () => {
    const network = await exported(here);
    await mustImport(there, network);
    expect(await exported(there)).toEqual(network);
  });

  it('has a section for each kind of entity that administrators make', () => {
    expect(ALL_SECTIONS).toEqual(expect.arrayContaining(KNOWN_SECTIONS));
  });

  it.each([
    [['services'], ['services']],
    [
      ['service-policy', 'Identity'],
      ['identities', 'servicePolicies'],
    ],
    [
      ['ca', 'external-jwt-signers'],
      ['externalJwtSigners', 'certificateAuthorities'],
    ],
    [['access-rules'], ['accessRules']],
    [['all'], ALL_SECTIONS],
    [[], ALL_SECTIONS],
  ])('of %j has the sections asked for, with all mentions named', async (types, sections) => {
    const network = await exported(here, types);
    const names = Object.keys(network);
    expect(names).toEqual(sections);
    if (network.services)
      expect(network.services[1]).toMatchObject({ configs: ['@@home/#1 "é"', '@web host'] });
  });

  it('refuses types that nobody knows', async () => {
    const { errors } = await here.graph('{ exportNetwork(types: ["servicez"]) }');
    expect(errors).toMatchObject([{ code: 'COULD_NOT_VALIDATE', detail: { field: 'types' } }]);
  });
});

describe('any network', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter(isStorable);
  const attribute = word.filter((text) => !/^[#@]/.test(text));
  const attributes = fc.array(attribute, { maxLength: 3 });
  const tags = fc.dictionary(
    word,
    fc.oneof(
      word,
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
    ),
    { maxKeys: 3 },
  );
  const data = fc.dictionary(word, fc.jsonValue({ maxDepth: 3 }).filter(isStorableJson), {
    maxKeys: 4,
  });
  const semantic = fc.constantFrom('AllOf', 'AnyOf');

  /** Names are unique in their section and carry the number of the run: runs share a network. */
  const entities = <T extends object>(shape: fc.Arbitrary<T>) =>
    fc.uniqueArray(fc.tuple(word, shape), { selector: ([name]) => name, maxLength: 4 });

  const network = fc.record({
    configs: entities(fc.record({ data, tags })),
    services: entities(
      fc.record({
        encryptionRequired: fc.boolean(),
        roleAttributes: attributes,
        tags,
        pick: fc.nat(),
      }),
    ),
    identities: entities(
      fc.record({ isAdmin: fc.boolean(), roleAttributes: attributes, appData: data, tags }),
    ),
    policies: entities(
      fc.record({
        semantic,
        type: fc.constantFrom('Dial', 'Bind'),
        attributes,
        picks: fc.array(fc.nat(), { maxLength: 3 }),
      }),
    ),
  });

  type Generated = typeof network extends fc.Arbitrary<infer T> ? T : never;

  it('comes back from an export as it was imported, and is then unchanged', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(network, async (generated) => {
        run += 1;
        const written = documentOf(generated, `${String(run)} `);
        await mustImport(here, written);
        const network = await exported(here);
        for (const [section, all] of Object.entries(written)) {
          for (const entity of all) {
            const found = network[section]?.find(({ name }) => name === entity.name);
            expect(JSON.parse(JSON.stringify(found))).toMatchObject(normal(entity));
          }
        }
        expect(totals(await mustImport(here, written))).toMatchObject({ created: 0, updated: 0 });
        expect(totals(await mustImport(here, network))).toMatchObject({ created: 0, updated: 0 });
      }),
      costlyRuns(10),
    );
  });

  function documentOf(generated: Generated, prefix: string): Document {
    const named = <T extends object>(all: readonly (readonly [string, T])[]) =>
      all.map(([name, shape]) => ({ name: `${prefix}${name}`, ...shape }));
    const configs = named(generated.configs).map((c) => ({ ...c, configType: '@anything' }));
    const services = named(generated.services).map(({ pick, ...service }) => ({
      ...service,
      configs: configs.length === 0 ? [] : [`@${configs[pick % configs.length]?.name ?? ''}`],
    }));
    const identities = named(generated.identities).map((i) => ({ ...i, typeId: 'Default' }));
    const mentioned = (all: readonly { name: string }[], picks: readonly number[]) =>
      all.length === 0 ? [] : picks.map((pick) => `@${all[pick % all.length]?.name ?? ''}`);
    const servicePolicies = named(generated.policies).map(
      ({ attributes: attrs, picks, ...policy }) => ({
        ...policy,
        identityRoles: [
          ...attrs.filter((a) => a !== 'all').map((a) => `#${a}`),
          ...mentioned(identities, picks),
        ],
        serviceRoles: picks.length === 0 ? ['#all'] : mentioned(services, picks),
      }),
    );
    return { configs, services, identities, servicePolicies };
  }

  /** Lists are sets in the order of their bytes; JSON knows no negative zero. */
  function normal(entity: Record<string, unknown>): Record<string, unknown> {
    const sorted = Object.entries(entity).map(([member, value]) => [
      member,
      Array.isArray(value)
        ? [...new Set(value as string[])].sort((a, b) =>
            Buffer.compare(Buffer.from(a), Buffer.from(b)),
          )
        : value,
    ]);
    return JSON.parse(JSON.stringify(Object.fromEntries(sorted))) as Record<string, unknown>;
  }

  function isStorable(text: string): boolean {
    return !/\0|\p{Surrogate}/u.test(text);
  }

  function isStorableJson(value: unknown): boolean {
    return !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(value));
  }
});
