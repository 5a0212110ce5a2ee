import { createPublicKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { fingerprint } from '../../src/trust/pki/certificate.js';
import { issueCertificate } from '../../src/trust/pki/issue-certificate.js';
import { x509 } from '../../src/trust/pki/x509.js';
import { keysOf as keyMaterialOf, newKey } from '../trust/auth/certificates.js';
import { Child } from './child.js';
import { COMMON, common, id } from './network.js';
import { API_SESSION, type SimulatedRouters } from './routers-order.js';
import { compiled, type Stage } from './stage.js';

/** Tokens of sessions for services, by which routers dial and host them. */
export const SESSION = {
  /** A service at the first router. */
  near: { dial: 'dial-near', host: 'host-near' },
  /** A service at the third router. */
  far: { dial: 'dial-far', host: 'host-far' },
  /** A service whose terminators are created and removed. */
  hosted: { host: 'host-hosted' },
} as const;

const ROUTER = 'fabric-router';
const SERVICES = Object.keys(SESSION);
const ROLES = { dial: 'Dial', host: 'Bind' } as const;

/** Routers that are enrolled, and a dialer and a host with sessions for services at all of them. */
export const fabricNetwork = (routers: number): readonly string[] => [
  `insert into router (${COMMON}, is_edge, is_verified, role_attributes)
    select ${common(ROUTER)}, true, true, array['fabric'] from generate_series(1, ${String(routers)}) n`,
  ...SERVICES.map(
    (name) => `insert into service (${COMMON}, role_attributes, encryption_required)
      select ${id('fabric-service', `'${name}'`)}, now(), now(), 'fabric ${name}', array['fabric'], false`,
  ),
  policy('edge_router_policy', 'edge routers', {
    identity_roles: '#fabric',
    edge_router_roles: '#fabric',
  }),
  policy('service_edge_router_policy', 'services', {
    service_roles: '#fabric',
    edge_router_roles: '#fabric',
  }),
  ...Object.entries(ROLES).flatMap(([role, type]) => client(role as keyof typeof ROLES, type)),
  ...Object.entries(SESSION).flatMap(([service, tokens]) =>
    Object.entries(tokens).map(([role, token]) =>
      session(service, role as keyof typeof ROLES, token),
    ),
  ),
];

/** A policy of any table; values by column. */
function policy(table: string, name: string, roles: Readonly<Record<string, string>>): string {
  const arrays = Object.values(roles).map((role) => `array['${role}']`);
  return `insert into ${table} (${COMMON}, semantic, ${Object.keys(roles).join(', ')})
    select ${id('fabric-policy', `'${name}'`)}, now(), now(), 'fabric ${name}', 'AnyOf', ${arrays.join(', ')}`;
}

/** An identity with an API session, and the policy for what it does. */
function client(role: keyof typeof ROLES, type: 'Dial' | 'Bind'): string[] {
  const identity = id('fabric-client', `'${role}'`);
  return [
    `insert into identity (${COMMON}, type_id, auth_policy_id, role_attributes)
      select ${identity}, now(), now(), 'fabric ${role}', 'Default', 'default', array['fabric', '${role}']`,
    `insert into api_session (id, created_at, updated_at, token, identity_id, authenticator_id, ip_address, last_activity_at)
      select 'fabric-${role}', now(), now(), '${API_SESSION[role]}', ${identity}, 'internal', '127.0.0.1',
        now() + interval '1 hour'`,
    `insert into service_policy (${COMMON}, type, semantic, identity_roles, service_roles)
      select ${id('fabric-policy', `'${role}'`)}, now(), now(), 'fabric ${role}', '${type}', 'AnyOf', array['#${role}'],
        array['#fabric']`,
  ];
}

const session = (service: string, role: keyof typeof ROLES, token: string): string =>
  `insert into session (id, created_at, updated_at, token, api_session_id, identity_id, service_id, type)
    select '${token}', now(), now(), '${token}', 'fabric-${role}', ${id('fabric-client', `'${role}'`)},
      ${id('fabric-service', `'${service}'`)}, '${ROLES[role]}'`;

const DAY_MILLIS = 86_400_000;

/** Enrolls the routers of a stage straight into the table, and starts their process. */
export async function startRouters(stage: Stage): Promise<Child> {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; name: string }>(
      `select id, name from router where name like '${ROUTER}-%' order by name`,
    );
    const signed = await sign(stage, rows);
    await client.query(
      `update router r set fingerprint = f.fingerprint
        from unnest($1::text[], $2::text[]) f (id, fingerprint) where r.id = f.id`,
      [rows.map((router) => router.id), signed.routers.map(({ cert }) => fingerprint(cert))],
    );
    const file = join(stage.dataDir, 'routers.json');
    await writeFile(file, JSON.stringify(signed));
    return await Child.start([compiled('fabric-routers.js'), file], {}, 'ready');
  } finally {
    await client.end();
  }
}

/** Signs certificates as routers get them; all of them have the same key, which saves time. */
async function sign(
  stage: Stage,
  routers: readonly { readonly id: string; readonly name: string }[],
): Promise<SimulatedRouters> {
  const { signer, intermediates } = await keyMaterialOf(stage);
  const key = newKey();
  const publicKey = createPublicKey(key);
  const notBefore = new Date(Date.now() - DAY_MILLIS);
  const notAfter = new Date(Date.now() + DAY_MILLIS);
  const extensions = [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])];
  return {
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    routers: await Promise.all(
      routers.map(async ({ id: routerId, name }) => {
        const subject = [{ CN: [routerId] }];
        const template = { subject, publicKey, notBefore, notAfter, extensions };
        const leaf = await issueCertificate(template, signer);
        return { id: routerId, name, cert: [leaf, ...intermediates].map(String).join('') };
      }),
    ),
  };
}
