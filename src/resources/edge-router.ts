import {
  attribute,
  attributeSet,
  bool,
  map,
  object,
  objects,
  text,
  time,
} from '../kernel/declare/attribute.js';
import { resource, type Write } from '../kernel/declare/resource.js';
import { deleteIn, insertIn, nextRevision, patchIn } from '../kernel/write/write.js';
import { roleFilterArguments } from './role-filter.js';
import { NOT_AFTER, NOT_BEFORE } from './certificate-validity.js';
import { BY_PROTOCOL, ProtocolAddress } from './protocol-address.js';
import { afterRouter, RouterEntity, validateRouter } from './router-parts.js';
import {
  hostname,
  supportedProtocols,
  syncStatus,
  versionInfo,
  VersionInfo,
} from './router-state.js';

/**
 * A tunneler-enabled router is an identity too: same id and name, with a system policy that lets it
 * use itself. Both follow the flag and the name, and go with the router.
 */
async function syncTunneler(write: Write): Promise<void> {
  const { verb, values, current } = write;
  const was = current.isTunnelerEnabled === true;
  const is = verb !== 'delete' && (values.isTunnelerEnabled ?? was) === true;
  if (is && !was) await addTunneler(write);
  else if (was && !is) await removeTunneler(write);
  else if (is && values.name !== undefined && values.name !== current.name) {
    await renameTunneler(write);
  }
}

async function addTunneler({ ctx, tx, id, values, current }: Write): Promise<void> {
  const identities = ctx.catalog.get('Identity');
  const policies = ctx.catalog.get('EdgeRouterPolicy');
  await insertIn(tx, identities, {
    id,
    revision: await nextRevision(tx, identities, id),
    name: values.name ?? current.name,
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

async function removeTunneler({ ctx, tx, id }: Write): Promise<void> {
  for (const name of ['EdgeRouterPolicy', 'Identity']) {
    const resource = ctx.catalog.get(name);
    await deleteIn(ctx, tx, resource, await tx.find(resource, { id }));
  }
}

async function renameTunneler({ ctx, tx, id, values }: Write): Promise<void> {
  const identities = ctx.catalog.get('Identity');
  await tx.lock(identities, [id]);
  const [identity] = await tx.find(identities, { id });
  if (identity) await patchIn(tx, identities, identity, { name: values.name });
}

async function after(write: Write): Promise<void> {
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
  listArguments: roleFilterArguments,
  hooks: { validate: validateRouter, after },
  exported: {},
})
export class EdgeRouter extends RouterEntity {
  @attribute(attributeSet(), { description: 'What policies select it by.', filter: true })
  roleAttributes!: string[];

  @attribute(map(), { description: 'Free data for applications.', default: {} })
  appData!: object;

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

  @attribute(time(), NOT_BEFORE)
  notBefore!: Date | null;

  @attribute(time(), NOT_AFTER)
  notAfter!: Date | null;

  @attribute(text(), {
    description: 'Name of its host while connected.',
    write: 'never',
    compute: hostname,
  })
  hostname!: string;

  @attribute(objects(() => ProtocolAddress), {
    description: 'Protocol -> address while connected.',
    write: 'never',
    compute: supportedProtocols,
    restShape: BY_PROTOCOL,
  })
  supportedProtocols!: ProtocolAddress[];

  @attribute(text(), {
    description: 'How far it has caught up with the model.',
    write: 'never',
    compute: syncStatus,
  })
  syncStatus!: string;

  @attribute(object(() => VersionInfo), {
    description: 'What software it runs, while connected.',
    write: 'never',
    nullable: true,
    omitEmpty: true,
    compute: versionInfo,
  })
  versionInfo!: VersionInfo | null;
}
