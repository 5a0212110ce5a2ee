import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { makeRoot } from '../../trust/pki/support.js';
import { toPem } from '../../../src/trust/pki/certificate.js';
import { InProcess } from '../../support/in-process.js';
import { imported, mustImport } from './transfers.js';

let network: InProcess;

const service = (name: string, more: object = {}) => ({ name, encryptionRequired: true, ...more });
const identity = (name: string, more: object = {}) => ({
  name,
  typeId: 'Default',
  isAdmin: false,
  ...more,
});
const signer = (name: string, more: object = {}) => ({
  name,
  issuer: `https://${name}`,
  audience: 'a',
  enabled: true,
  jwksEndpoint: `https://${name}/keys`,
  ...more,
});
const dial = (more: object) => ({ name: 'p', type: 'Dial', semantic: 'AnyOf', ...more });
const ca = (name: string, certPem: string) => ({
  name,
  certPem,
  isAuthEnabled: true,
  isAutoCaEnrollmentEnabled: false,
  isOttCaEnrollmentEnabled: false,
  identityRoles: [],
});

const root = await makeRoot('P-256').then(({ cert }) => toPem([cert]));
const otherRoot = await makeRoot('P-256').then(({ cert }) => toPem([cert]));

beforeAll(async () => {
  network = await InProcess.start();
  await network.create('TransitRouter', { name: 'transit' });
  await mustImport(network, {
    certificateAuthorities: [ca('known ca', root)],
    configs: [{ name: 'known', configType: '@host.v1', data: hostData }],
    services: [service('sealed')],
    identities: [identity('taken', { externalId: 'x-1' })],
    externalJwtSigners: [signer('known.example')],
    edgeRouters: [{ name: 'edge', isTunnelerEnabled: false }],
  });
});

afterAll(() => network.stop());

const hostData = { protocol: 'tcp', address: 'localhost', port: 1 };
const longName = randomBytes(1_400).toString('hex');

type Fault = [title: string, document: unknown, faults: (string | RegExp)[]];

const FAULTS: readonly Fault[] = [
  ['is a list', [], ['a document is an object of sections: externalJwtSigners, authPolicies']],
  ['is text', 'services', ['a document is an object of sections']],
  ['has a section that nobody knows', { servicez: [] }, ['servicez: there is no such section']],
  ['has a section that is no list', { services: {} }, ['services: must be a list']],
  [
    'has entities that are no objects',
    { services: ['a', service('b'), null] },
    ['services[0]: must be an object', 'services[2]: must be an object'],
  ],
  [
    'has entities without a name',
    { services: [{ encryptionRequired: true }, service('')] },
    ['services[0]: name: must be text', 'services[1]: name: must be text'],
  ],
  [
    'has one name twice in a section',
    { services: [service('a'), service('b'), service('a')] },
    ['services[2] "a": name: is already that of services[0]'],
  ],
  [
    'mentions what does not exist',
    { services: [service('web', { configs: ['@x', '@known', '@y'] })] },
    [
      'services[0] "web": configs: no config is called "x"',
      'services[0] "web": configs: no config is called "y"',
    ],
  ],
  [
    'mentions without @',
    { services: [service('web', { configs: ['known'] })] },
    ['services[0] "web": configs: must be @ and the name of a config, is "known"'],
  ],
  [
    'has role lists with faults',
    {
      servicePolicies: [
        dial({ identityRoles: ['ann'] }),
        dial({ name: 'q', identityRoles: ['@ann', '#all'] }),
        dial({ name: 'r', serviceRoles: ['#all', '#x'] }),
      ],
    },
    [
      'servicePolicies[0] "p": identityRoles: must start with #',
      'servicePolicies[1] "q": identityRoles: no identity is called "ann"',
      'servicePolicies[2] "r": serviceRoles: #all must be the only entry',
    ],
  ],
  [
    'has several members of a wrong shape',
    { services: [{ name: 'web', roleAttributes: 'x', configs: 7, maxIdleTimeMillis: 'long' }] },
    [
      'services[0] "web": configs: ',
      'services[0] "web": encryptionRequired: encryptionRequired in body is required',
      'services[0] "web": maxIdleTimeMillis: ',
      'services[0] "web": roleAttributes: ',
    ],
  ],
  [
    'has a mention that leads nowhere beside members of a wrong shape',
    { configs: [{ name: 'c', configType: '@none', tags: 7 }] },
    [
      'configs[0] "c": configType: no configType is called "none"',
      'configs[0] "c": data: data in body is required',
      'configs[0] "c": tags: ',
    ],
  ],
  [
    'has config data that the type forbids',
    { configs: [{ name: 'bad', configType: '@host.v1', data: { ...hostData, port: 'x' } }] },
    ['configs[0] "bad": data.port: '],
  ],
  [
    'has configs of no known type',
    {
      configs: [
        { name: 'a', configType: '@no.v1', data: {} },
        { name: 'b', data: {} },
      ],
    },
    ['configs[0] "a": configType: no configType is called "no.v1"', 'configs[1] "b": configType: '],
  ],
  [
    'gives a service two configs of one type',
    {
      configs: [{ name: 'more', configType: '@host.v1', data: hostData }],
      services: [service('web', { configs: ['@known', '@more'] })],
    },
    ['services[0] "web": configs: duplicate configs of one type'],
  ],
  [
    'has a faulty entity that others mention: told once',
    {
      configs: [{ name: 'bad', configType: '@host.v1', data: 'text' }],
      services: [service('web', { configs: ['@bad'] })],
      servicePolicies: [dial({ serviceRoles: ['@web'] })],
    },
    ['configs[0] "bad": data: '],
  ],
  [
    'has the identity of a router that is none',
    {
      identities: [
        { name: 'ghost', typeId: 'Router', isAdmin: false },
        { name: 'edge', typeId: 'Router', isAdmin: false },
      ],
    },
    [
      'identities[0] "ghost": typeId: no tunneler-enabled edge router is called "ghost"',
      'identities[1] "edge": typeId: no tunneler-enabled edge router is called "edge"',
    ],
  ],
  [
    'has routers whose names are used',
    {
      edgeRouters: [
        { name: 'transit', isTunnelerEnabled: false },
        { name: 'taken', isTunnelerEnabled: true },
        { name: 'new', isTunnelerEnabled: true },
      ],
      identities: [identity('new')],
    },
    [
      'edgeRouters[0] "transit": name: is already that of a transit router',
      'edgeRouters[1] "taken": isTunnelerEnabled: gives the router an identity of its name',
      'edgeRouters[2] "new": isTunnelerEnabled: gives the router an identity of its name',
    ],
  ],
  [
    'repeats external ids',
    {
      identities: [
        identity('a', { externalId: 'same' }),
        identity('b', { externalId: 'same' }),
        identity('c', { externalId: 'x-1' }),
      ],
    },
    [
      'identities[1] "b": externalId: is the same as in identities[0] "a"',
      'identities[2] "c": externalId: is already that of the identity "taken"',
    ],
  ],
  [
    'repeats an issuer of the network',
    { externalJwtSigners: [signer('new', { issuer: 'https://known.example' })] },
    [
      'externalJwtSigners[0] "new": issuer: is already that of the externalJwtSigner "known.example"',
    ],
  ],
  [
    'repeats an authority under another name',
    { certificateAuthorities: [ca('again', root)] },
    ['certificateAuthorities[0] "again": certPem: is already that of the ca "known ca"'],
  ],
  [
    'has a signer without keys',
    { externalJwtSigners: [signer('a', { jwksEndpoint: null })] },
    ['externalJwtSigners[0] "a": certPem: or jwksEndpoint is required'],
  ],
  [
    'mentions unknown signers inside a policy',
    {
      authPolicies: [
        {
          name: 'p',
          primary: { extJwt: { allowed: true, allowedSigners: ['@nobody'] } },
          secondary: { requireTotp: false, requireExtJwtSigner: '@none' },
        },
      ],
    },
    [
      'authPolicies[0] "p": primary.extJwt.allowedSigners: no externalJwtSigner is called "nobody"',
      'authPolicies[0] "p": secondary.requireExtJwtSigner: no externalJwtSigner is called "none"',
    ],
  ],
  [
    'names an auth policy that is not there, or by an id',
    { identities: [identity('a', { authPolicy: '@x' }), identity('b', { authPolicyId: 'Ab1' })] },
    [
      'identities[0] "a": authPolicy: no authPolicy is called "x"',
      'identities[1] "b": authPolicyId: is an id of another network; give authPolicy: "@name"',
    ],
  ],
  [
    'has hosting costs for unknown services, or out of range',
    {
      identities: [
        identity('a', { serviceHostingCosts: { '@none': 1 } }),
        identity('b', { serviceHostingCosts: { '@sealed': 70_000 } }),
      ],
    },
    [
      'identities[0] "a": serviceHostingCosts.@none: no service is called "none"',
      'identities[1] "b": serviceHostingCosts.',
    ],
  ],
  [
    'has posture checks of an unknown type or without their members',
    {
      postureChecks: [
        { name: 'a', typeId: 'MAGIC' },
        { name: 'b', typeId: 'MAC' },
        { name: 'c', typeId: 'MAC', macAddresses: ['zz'] },
      ],
    },
    [
      'postureChecks[0] "a": typeId: ',
      'postureChecks[1] "b": macAddresses: ',
      'postureChecks[2] "c": macAddresses[0]: ',
    ],
  ],
  [
    'has text that PostgreSQL can not store',
    {
      identities: [identity('a', { tags: { x: 'a\0b' } }), identity('b\0')],
      configs: [{ name: 'c', configType: '@host.v1', data: { x: [{ y: '\ud800' }] } }],
    },
    [
      'configs[0] "c": data.x.0.y: must be text without NUL',
      'identities[0] "a": tags.x: must be text without NUL',
      'identities[1]: name: must be text without NUL',
    ],
  ],
  [
    'has names that no index can hold',
    { services: [service(longName)] },
    [/^services\[0\] "[0-9a-f]+": name: must be at most 2600 bytes long$/],
  ],
  [
    'changes what entities keep for life',
    {
      certificateAuthorities: [ca('known ca', otherRoot)],
      configs: [{ name: 'known', configType: '@intercept.v1', data: hostData }],
      services: [{ name: 'sealed', encryptionRequired: false }],
    },
    [
      'certificateAuthorities[0] "known ca": certPem: can not be changed',
      'configs[0] "known": ',
      'services[0] "sealed": encryptionRequired: can not be changed',
    ],
  ],
  [
    'has a config type with a reserved name or no schema',
    { configTypes: [{ name: 'all' }, { name: 'odd', schema: { type: 'nothing' } }] },
    ['configTypes[0] "all": name: ', 'configTypes[1] "odd": schema'],
  ],
  [
    'has a member for being disabled that is no boolean, or an end that is no time',
    {
      identities: [
        identity('a', { disabled: 'yes' }),
        identity('b', { disabled: true, disabledUntil: 'soon' }),
      ],
    },
    ['identities[0] "a": disabled: ', 'identities[1] "b": disabledUntil: '],
  ],
];

describe('a document is refused with the place of every fault when it', () => {
  it.each(FAULTS)('%s', async (_, document, faults) => {
    const result = await imported(network, document);
    const messages = result.faults.map(({ message }) => message);
    expect(messages.sort()).toEqual(
      faults.map((f): unknown =>
        typeof f === 'string' ? expect.stringContaining(f) : expect.stringMatching(f),
      ),
    );
    expect(result).toMatchObject({ faultCount: faults.length, summary: [], failure: null });
    const [written] = await changesOf(result.importId);
    expect(written?.count).toBe(0);
  });

  it('tells section, index, name, field and reason one by one too', async () => {
    const { faults } = await imported(network, { services: [service('web', { configs: ['@x'] })] });
    expect(faults).toEqual([
      {
        section: 'services',
        index: 0,
        name: 'web',
        field: 'configs',
        reason: 'no config is called "x"',
        message: 'services[0] "web": configs: no config is called "x"',
      },
    ]);
  });

  it('lists 1,000 faults and counts them all', async () => {
    const services = Array.from({ length: 1_234 }, (_, i) =>
      service(`s${String(i)}`, { configs: 1 }),
    );
    const result = await imported(network, { services });
    expect([result.faults.length, result.faultCount]).toEqual([1_000, 1_234]);
  });
});

it('names members that mean nothing, without refusing them', async () => {
  const services = [service('a', { colour: 'red' }), service('b', { colour: 'blue', id: 'x' })];
  const result = await imported(network, { services }, true);
  expect(result.ignored).toEqual(['services: colour is not known (first in services[0])']);
  expect(result.faultCount).toBe(0);
});

async function changesOf(importId: string): Promise<{ count: number }[]> {
  const { rows } = await network.parts.database.pool.query<{ count: number }>(
    'select count(*)::int as count from change where import_id = $1',
    [importId],
  );
  return rows;
}
