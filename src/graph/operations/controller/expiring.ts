import { Arg, Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver } from 'type-graphql';
import { compareBytes } from '../../../base/byte-order.js';
import { DateTime } from '../../../base/date-time.js';
import { may, permits, READER, type Permission } from '../../../kernel/declare/permissions.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import {
  expiries,
  type Expiry as StoredExpiry,
  type ExpiryWindow,
  type StoredExpiryKind,
} from '../../../data/rows/expiry/index.js';
import { describeCertificate } from '../../../trust/pki/index.js';
import { within as inRange } from './argument-range.js';
import { Overview } from './overview.js';

const DAY_MILLIS = 86_400_000;
const MAX_DAYS = 3_650;
const MAX_NODES = 100;

type ExpiryKind = 'ROOT' | 'SIGNER' | StoredExpiryKind;

const EXPIRY_KIND = enumOf(
  'ExpiryKind',
  {
    ROOT: 'The root of the network.',
    SIGNER: 'The authority by which this controller signs certificates.',
    SERVER_CERTIFICATE: 'The server certificate of a controller.',
    ROUTER_CERTIFICATE: 'The certificate of a router.',
    IDENTITY_CERTIFICATE: 'The certificate by which an identity logs in.',
    CERTIFICATE_AUTHORITY: 'An authority of others.',
    JWT_SIGNER: 'The certificate of an external JWT signer.',
    ENROLLMENT: 'An invitation to join the network.',
  } satisfies Record<ExpiryKind, string>,
  'What ends.',
);

/** Certificates of the network itself are public. */
const PERMISSIONS: Readonly<Record<StoredExpiryKind, Permission>> = {
  SERVER_CERTIFICATE: READER,
  ROUTER_CERTIFICATE: may('router', 'read'),
  IDENTITY_CERTIFICATE: may('admin', 'read'),
  CERTIFICATE_AUTHORITY: may('ca', 'read'),
  JWT_SIGNER: may('external-jwt-signer', 'read'),
  ENROLLMENT: may('enrollment', 'read'),
};

const STORED_KINDS = Object.keys(PERMISSIONS) as StoredExpiryKind[];
const OWN_KINDS = ['ROOT', 'SIGNER'] as const;

/** The types whose names a caller sees in the rows of another kind. */
const NAMES: Readonly<Record<string, Permission>> = {
  Controller: READER,
  Identity: may('identity', 'read'),
  EdgeRouter: may('router', 'read'),
  TransitRouter: may('router', 'read'),
  CertificateAuthority: may('ca', 'read'),
  ExternalJwtSigner: may('external-jwt-signer', 'read'),
};

@ObjectType({ description: 'A certificate or an invitation, and its end.', simpleResolvers: true })
class Expiry {
  @Field(() => EXPIRY_KIND, { description: 'What ends.' })
  kind!: ExpiryKind;

  @Field(() => String, {
    nullable: true,
    description:
      'The type of the entity that it belongs to, by its name in the graph; null for certificates of the network itself.',
  })
  entityType!: string | null;

  @Field(() => ID, { nullable: true, description: 'The id of that entity.' })
  entityId!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The name of that entity, null without the permission to read it; of certificates of the network their common name.',
  })
  entityName!: string | null;

  @Field(() => DateTime, { description: 'When it ends or has ended.' })
  notAfter!: Date;
}

@ObjectType({ description: 'Certificates and invitations that end.', simpleResolvers: true })
class Expiries {
  @Field(() => Int, { description: 'The number of all in that time.' })
  totalCount!: number;

  @Field(() => [EXPIRY_KIND], {
    description: 'The kinds that the caller may read; others are left out.',
  })
  kinds!: readonly ExpiryKind[];

  @Field(() => [Expiry], { description: 'Those that end first, in the order of time.' })
  nodes!: readonly Expiry[];
}

const days = (description: string) => ({
  defaultValue: 30,
  description: `${description}; at most ${String(MAX_DAYS)}.`,
});

@Resolver(() => Overview)
export class ExpiringResolver {
  @FieldResolver(() => Expiries, {
    description: 'Certificates and invitations that end soon, or have ended lately.',
  })
  async expiring(
    @Arg('within', () => Int, days('The days from now on in which they end')) within: number,
    @Arg('since', () => Int, days('The days until now in which they have ended')) since: number,
    @Arg('first', () => Int, {
      defaultValue: 20,
      description: `The largest number of entries, at most ${String(MAX_NODES)}.`,
    })
    first: number,
    @Ctx() ctx: RequestContext,
  ): Promise<Expiries> {
    const now = ctx.now().getTime();
    const window = {
      from: new Date(now - inRange('since', since, 0, MAX_DAYS) * DAY_MILLIS),
      to: new Date(now + inRange('within', within, 0, MAX_DAYS) * DAY_MILLIS),
    };
    const limit = inRange('first', first, 1, MAX_NODES);
    const kinds = STORED_KINDS.filter((kind) => permits(ctx.caller, PERMISSIONS[kind]));
    const stored = await expiries.within(ctx.store, {
      ...window,
      kinds,
      named: namedFor(ctx),
      limit,
    });
    const own = ownExpiries(ctx, window);
    return {
      totalCount: own.length + (stored[0]?.total ?? 0),
      kinds: [...OWN_KINDS, ...kinds],
      nodes: [...own, ...stored].sort(inOrder).slice(0, limit),
    };
  }
}

const namedFor = ({ caller }: RequestContext): ReadonlySet<string> =>
  new Set(
    Object.entries(NAMES)
      .filter(([, permission]) => permits(caller, permission))
      .map(([type]) => type),
  );

function ownExpiries({ modules: { keys } }: RequestContext, { from, to }: ExpiryWindow): Expiry[] {
  const certificates = { ROOT: keys.root, SIGNER: keys.signer.cert };
  return OWN_KINDS.map((kind) => {
    const { commonName, notAfter } = describeCertificate(certificates[kind]);
    return { kind, entityType: null, entityId: null, entityName: commonName, notAfter };
  }).filter(({ notAfter }) => notAfter >= from && notAfter <= to);
}

type Ordered = Pick<StoredExpiry, 'notAfter' | 'entityId'> & Pick<Expiry, 'kind'>;

const inOrder = (a: Ordered, b: Ordered): number =>
  a.notAfter.getTime() - b.notAfter.getTime() ||
  compareBytes(a.kind, b.kind) ||
  compareBytes(a.entityId ?? '', b.entityId ?? '');
