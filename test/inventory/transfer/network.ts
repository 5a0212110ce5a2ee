import { makeRoot } from '../../trust/pki/support.js';
import { toPem } from '../../../src/trust/pki/certificate.js';

export type Entity = Record<string, unknown> & { name: string };
export type Document = Record<string, Entity[]>;

const host = (port: number) => ({ protocol: 'tcp', address: 'localhost', port });

const pem = async (): Promise<string> => toPem([(await makeRoot('P-256')).cert]);

/** A network with something in every section, and names that need care. */
export async function ownNetwork(): Promise<Document> {
  return {
    externalJwtSigners: [
      {
        name: 'login.example',
        issuer: 'https://login.example',
        audience: 'overlay',
        enabled: true,
        jwksEndpoint: 'https://login.example/keys.json',
        certPem: null,
        kid: '',
        fingerprint: null,
        claimsProperty: 'email',
        useExternalId: true,
        scopes: ['email', 'profile'],
        enrollAuthPolicy: '@two factors',
      },
      {
        name: 'by key',
        issuer: 'https://key.example',
        audience: 'overlay',
        enabled: false,
        certPem: await pem(),
        kid: 'k1',
        scopes: null,
      },
    ],
    authPolicies: [
      {
        name: 'two factors',
        primary: {
          cert: { allowed: true, allowExpiredCerts: false },
          extJwt: { allowed: true, allowedSigners: ['@login.example'] },
          updb: {
            allowed: false,
            lockoutDurationMinutes: 0,
            maxAttempts: 5,
            minPasswordLength: 8,
            requireMixedCase: true,
            requireNumberChar: false,
            requireSpecialChar: false,
          },
        },
        secondary: { requireTotp: true, requireExtJwtSigner: '@by key' },
      },
    ],
    certificateAuthorities: [
      {
        name: 'factory',
        certPem: await pem(),
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled: false,
        isOttCaEnrollmentEnabled: true,
        identityRoles: ['machines'],
        identityNameFormat: '[caName]-[commonName]',
        isVerified: true,
        tags: { site: 7 },
      },
    ],
    configTypes: [
      { name: 'limits', schema: { type: 'object', required: ['most'] }, tags: {} },
      { name: 'anything', schema: null },
    ],
    configs: [
      { name: 'web host', configType: '@host.v1', data: host(80), tags: {} },
      {
        name: '@home/#1 "é"',
        configType: '@limits',
        data: { most: 3, deep: [null, { b: 1, a: 2 }] },
      },
      { name: 'free', configType: '@anything', data: {} },
    ],
    postureChecks: [
      { name: 'mfa', typeId: 'MFA', timeoutSeconds: 60, roleAttributes: ['strict'] },
      { name: 'mac', typeId: 'MAC', macAddresses: ['01:23:45:67:89:ab'] },
      { name: 'os', typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }] },
      {
        name: 'process',
        typeId: 'PROCESS',
        process: { osType: 'Linux', path: '/bin/agent', hashes: null },
      },
    ],
    edgeRouters: [
      {
        name: 'gate',
        isTunnelerEnabled: true,
        noTraversal: false,
        roleAttributes: ['public'],
        appData: { floor: 2 },
        enrollmentToken: '29818c67-fc39-4f7b-bb05-9db895719107',
        hostname: 'gate.example',
      },
      { name: 'plain', isTunnelerEnabled: false, cost: 12, noTraversal: true, disabled: true },
    ],
    services: [
      {
        name: 'web',
        encryptionRequired: true,
        configs: ['@web host', '@@home/#1 "é"'],
        roleAttributes: ['front'],
        terminatorStrategy: 'weighted',
      },
      { name: 'plain text', encryptionRequired: false, configs: [] },
    ],
    identities: [
      {
        name: 'ann',
        typeId: 'Default',
        isAdmin: false,
        isDefaultAdmin: false,
        isMfaEnabled: false,
        disabled: false,
        edgeRouterConnectionStatus: null,
        authPolicy: '@Default',
        externalId: 'ann@example',
        roleAttributes: ['staff', 'client'],
        serviceHostingCosts: { '@web': 10 },
        serviceHostingPrecedences: { '@web': 'required' },
        appData: { theme: { dark: true } },
        tags: { foo: 'bar', nothing: null },
      },
      {
        name: 'gate',
        typeId: 'Router',
        isAdmin: false,
        authPolicy: '@Default',
        roleAttributes: ['host'],
        tags: { kind: 'router' },
      },
      {
        name: 'boss elsewhere',
        typeId: 'Default',
        isAdmin: true,
        isDefaultAdmin: true,
        authPolicy: '@two factors',
        externalId: null,
      },
    ],
    edgeRouterPolicies: [
      {
        name: 'edge-router-D98X8WmjYH-system',
        semantic: 'AnyOf',
        edgeRouterRoles: ['@gate'],
        identityRoles: ['@gate'],
      },
      {
        name: 'all gates',
        semantic: 'AllOf',
        edgeRouterRoles: ['#public'],
        identityRoles: ['#all'],
      },
    ],
    serviceEdgeRouterPolicies: [
      {
        name: 'carry',
        semantic: 'AnyOf',
        edgeRouterRoles: ['@gate', '#public'],
        serviceRoles: ['#all'],
      },
    ],
    servicePolicies: [
      {
        name: 'dial web',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['@ann', '#staff'],
        serviceRoles: ['@web'],
        postureCheckRoles: ['@mfa', '#strict'],
      },
      {
        name: 'bind web',
        type: 'Bind',
        semantic: 'AnyOf',
        identityRoles: ['@gate'],
        serviceRoles: ['@web'],
        postureCheckRoles: null,
      },
    ],
    accessRules: [
      {
        name: 'staff reaches web',
        kind: 'MUST_REACH',
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['@ann'],
        serviceRoles: ['@web'],
      },
    ],
  };
}
