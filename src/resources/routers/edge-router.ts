import type { JsonObject } from '../../base/row.js';
import {
  attribute,
  attributeSet,
  bool,
  map,
  object,
  objects,
  text,
  time,
} from '../../kernel/declare/attribute.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { present, type Computed } from '../../kernel/declare/rows.js';
import { deleteIn, insertIn, nextRevision, patchIn } from '../../kernel/write/write.js';
import { roleFilterArguments } from '../policies/role-filter.js';
import { NOT_AFTER, NOT_BEFORE } from '../trust/certificate-validity.js';
import { ProtocolAddress } from './protocol-address.js';
import { afterRouter, RouterEntity, validateRouter } from './router-parts.js';
import {
  HOSTNAME,
  SUPPORTED_PROTOCOLS,
  SYNC_STATUS,
  VERSION_INFO,
  VersionInfo,
} from './router-state.js';
import { routerTraffic } from './router-traffic.js';
import { CertificateDetails, DETAILS_OF_PEM } from '../trust/certificate-details.js';

/**
 * A tunneler-enabled router is an identity, too: with the same id and name, and a system policy that
 * lets it use itself. Both follow the flag and the name, and are deleted with the router.
 */
async function syncTunneler(write: Write<'EdgeRouter'>): Promise<void> {
  const { verb, values, current } = write;
  const wasEnabled = current.isTunnelerEnabled ?? false;
  const isEnabled = verb !== 'delete' && (values.isTunnelerEnabled ?? wasEnabled);
  if (isEnabled && !wasEnabled) await addTunneler(write);
  else if (wasEnabled && !isEnabled) await removeTunneler(write);
  else if (isEnabled) await renameTunneler(write);
}

async function addTunneler({ ctx, tx, id, values, current }: Write<'EdgeRouter'>): Promise<void> {
  const identities = ctx.catalog.resources.Identity;
  const policies = ctx.catalog.resources.EdgeRouterPolicy;
  await insertIn(tx, identities, {
    id,
    revision: await nextRevision(tx, identities, id),
    name: present({ ...current, ...values }, 'name').name,
    typeId: 'Router',
    authPolicyId: 'default',
  });
  await insertIn(tx, policies, {
    id,
    revision: await nextRevision(tx, policies, id),
    name: `edge-router-${id}-system`,
    isSystem: true,
    semantic: 'AnyOf',
    edgeRouterRoles: [`@${id}`],
    identityRoles: [`@${id}`],
  });
}

async function removeTunneler({ ctx, tx, id }: Write<'EdgeRouter'>): Promise<void> {
  const { EdgeRouterPolicy, Identity } = ctx.catalog.resources;
  for (const resource of [EdgeRouterPolicy, Identity]) {
    await deleteIn(ctx, tx, resource, await tx.find(resource, { id }));
  }
}

async function renameTunneler(write: Write<'EdgeRouter'>): Promise<void> {
  const { ctx, tx, id, current } = write;
  const { name } = write.values;
  if (name === undefined || name === current.name) return;
  const identities = ctx.catalog.resources.Identity;
  const [identity] = await tx.lock(identities, [id]);
  if (identity) await patchIn(tx, identities, identity, { name });
}

async function after(write: Write<'EdgeRouter'>): Promise<void> {
  await syncTunneler(write);
  await afterRouter(write, true);
}

@resource({
  description: 'A router that clients connect to.',
  plural: 'EdgeRouters',
  path: 'edge-routers',
  permission: 'router',
  table: 'router',
  model: 'router',
  discriminator: { isEdge: true },
  counted: true,
  links: ['edge-router-policies'],
  relations: routerTraffic,
  listArguments: roleFilterArguments('edgeRouter'),
  hooks: { validate: validateRouter, after },
  isDrafted: true,
})
export class EdgeRouter extends RouterEntity {
  @attribute(attributeSet(), {
    description: 'The attributes by which policies select it.',
    filter: true,
  })
  roleAttributes!: string[];

  @attribute(map(), { description: 'Free data for applications.', default: {} })
  appData!: JsonObject;

  @attribute(bool(), {
    description: 'Is an identity too, that hosts or dials services.',
    filter: true,
  })
  isTunnelerEnabled!: boolean;

  @attribute(text(), {
    description: 'Its certificate.',
    write: 'never',
    nullable: true,
  })
  certPem!: string | null;

  @attribute(object(() => CertificateDetails), DETAILS_OF_PEM)
  certificateDetails!: Computed<CertificateDetails | null>;

  @attribute(time(), NOT_BEFORE)
  notBefore!: Date | null;

  @attribute(time(), NOT_AFTER)
  notAfter!: Date | null;

  @attribute(text(), HOSTNAME)
  hostname!: Computed<string>;

  @attribute(objects(() => ProtocolAddress), SUPPORTED_PROTOCOLS)
  supportedProtocols!: Computed<ProtocolAddress[]>;

  @attribute(text(), SYNC_STATUS)
  syncStatus!: Computed<string>;

  @attribute(object(() => VersionInfo), VERSION_INFO)
  versionInfo!: Computed<VersionInfo | null>;
}
