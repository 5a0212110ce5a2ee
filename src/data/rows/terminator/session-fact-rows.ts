import { and, sql, TRUE, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import {
  CLIENT_FINGERPRINTS,
  HAS_SECOND_FACTOR,
  isNamed,
  type SessionKey,
} from '../api-session/index.js';

/*
 * The facts that decide whether a session for a service may dial or host. Statements, not models: each dial
 * and each request to host reads five tables at once.
 */

/** Bytes in base64 by their numbers, as routers send and get them. */
export type StoredPeerData = Readonly<Record<string, string>>;

/** The attributes of a terminator that decide about circuits to it. */
export interface DialedTerminator extends Pick<
  TableRow<'Terminator'>,
  'id' | 'routerId' | 'binding' | 'address' | 'hostId' | 'cost' | 'precedence'
> {
  readonly peerData: StoredPeerData;
}

const TERMINATOR: Sql = sql`jsonb_build_object('id', t.id, 'routerId', t.router_id, 'binding', t.binding,
  'address', t.address, 'hostId', t.host_id, 'cost', t.cost, 'precedence', t.precedence, 'peerData', t.peer_data)`;

/** The proofs of a client to its router, as the router reports them. */
export interface ProvedClient {
  /** The API session of its connection; null where a router names certificates alone. */
  readonly apiSession: SessionKey | null;
  /** The certificates that it showed: SHA-1 in lower-case hex. */
  readonly fingerprints: readonly string[];
}

/** The token of a session for a service, and the client that sends it; null: the router itself. */
export interface PresentedToken {
  readonly token: string;
  readonly client: ProvedClient | null;
}

/**
 * Whether a row `v` of the table `session` has the token and belongs to its sender. The token of
 * somebody else is like an unknown one.
 */
function isPresented({ token, client }: PresentedToken): Sql {
  const hasToken = sql`v.token = ${token}::text`;
  if (!client) return hasToken;
  const { apiSession, fingerprints } = client;
  const isClient =
    apiSession === null
      ? sql`s.oidc_client is null and ${CLIENT_FINGERPRINTS} && ${fingerprints}::text[]`
      : isNamed(apiSession);
  // Routers do not know whether an access token still has its second factor.
  const mayUse = apiSession !== null && 'id' in apiSession ? HAS_SECOND_FACTOR : TRUE;
  return and(
    hasToken,
    sql`exists (select from api_session s where s.id = v.api_session_id and ${and(isClient, mayUse)})`,
  );
}

/** A session for a service. */
type SessionFacts = Pick<TableRow<'Session'>, 'id' | 'identityId' | 'serviceId' | 'type'>;

const SESSION: Sql = sql`v.id, v.identity_id as "identityId", v.service_id as "serviceId", v.type`;

/** A session for a service, with what is asked of those who dial it. */
export type DialFacts = SessionFacts &
  Pick<TableRow<'Service'>, 'encryptionRequired' | 'terminatorStrategy'> & {
    readonly terminators: DialedTerminator[];
  };

/** Gives the session of a token, and the terminators of its service for this instance. */
export async function ofDial(
  rows: Rows,
  presented: PresentedToken,
  instanceId: string,
): Promise<DialFacts | undefined> {
  const [facts] = await rows.query(
    sql<DialFacts>`select ${SESSION}, e.encryption_required as "encryptionRequired",
        e.terminator_strategy as "terminatorStrategy",
        array(select ${TERMINATOR} from terminator t
          where t.service_id = v.service_id and t.identity = ${instanceId}::text order by t.id) as terminators
      from session v join service e on e.id = v.service_id where ${isPresented(presented)}`,
  );
  return facts;
}

/** A session, and what is stored of the terminator that its identity wants to host. */
export type BindFacts = SessionFacts & {
  /** There is a terminator with this id. */
  readonly isStored: boolean;
  /** Another identity hosts this instance of the service. */
  readonly isHostedByOther: boolean;
};

/** Gives the session of a token, and what is stored of a terminator for it. */
export async function ofBind(
  rows: Rows,
  presented: PresentedToken,
  { id, instanceId }: { readonly id: string; readonly instanceId: string },
): Promise<BindFacts | undefined> {
  const [facts] = await rows.query(
    sql<BindFacts>`select ${SESSION}, exists (select from terminator t where t.id = ${id}::text) as "isStored",
        ${instanceId}::text <> '' and exists (select from terminator t where t.service_id = v.service_id
          and t.identity = ${instanceId}::text and t.host_id <> v.identity_id) as "isHostedByOther"
      from session v where ${isPresented(presented)}`,
  );
  return facts;
}
