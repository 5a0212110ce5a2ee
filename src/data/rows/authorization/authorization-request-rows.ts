import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';

/*
 * Authorization requests of clients (RFC 6749 4.1.1) and of devices (RFC 8628 3.1) from their first request
 * until they get tokens. Any controller continues what another began. Keys and codes are stored as hashes.
 */

type RequestRow = TableRow<'AuthorizationRequest'>;

/** The parameters of a request. */
export type NewAuthorizationRequest = Pick<
  RequestRow,
  | 'id'
  | 'createdAt'
  | 'expiresAt'
  | 'sender'
  | 'clientId'
  | 'redirectUri'
  | 'codeChallenge'
  | 'scopes'
  | 'state'
  | 'nonce'
  | 'configTypes'
> &
  Partial<Pick<RequestRow, 'deviceCodeHash' | 'userCodeHash' | 'pollSeconds'>>;

/** The API session that a proof opened, and the request for a certificate that came with it. */
type OpenedSession = Pick<RequestRow, 'apiSessionId' | 'csrPem'>;

/** Requests of one sender that nobody has logged in to; more are refused. */
const MAX_UNPROVED = 10_000;

/** Longer than a device waits between two questions. */
const FORGET_MILLIS = 60_000;

/**
 * Stores a request; false if its sender has too many without a login, or if another device has this user
 * code. A statement, since it counts and writes at once.
 */
export async function open(rows: Rows, request: NewAuthorizationRequest): Promise<boolean> {
  const stored = await rows.query(
    sql<{ id: string }>`insert into authorization_request
        (id, created_at, expires_at, sender, client_id, redirect_uri, code_challenge, scopes, state, nonce, config_types,
        device_code_hash, user_code_hash, poll_seconds)
      select ${request.id}::text, ${request.createdAt}::timestamptz, ${request.expiresAt}::timestamptz,
        ${request.sender}::text, ${request.clientId}::text, ${request.redirectUri}::text,
        ${request.codeChallenge}::text, ${request.scopes}::text[], ${request.state}::text,
        ${request.nonce}::text, ${request.configTypes}::text[], ${request.deviceCodeHash ?? null}::text,
        ${request.userCodeHash ?? null}::text, ${request.pollSeconds ?? null}::int
      where (select count(*) from (select 1 from authorization_request r
        where r.sender = ${request.sender}::text and r.api_session_id is null
        limit ${MAX_UNPROVED}::int) unproved) < ${MAX_UNPROVED}::int
      on conflict (user_code_hash) where user_code_hash is not null do nothing
      returning id`,
  );
  return stored.length > 0;
}

const REQUEST = {
  ...{ id: true, createdAt: true, expiresAt: true, clientId: true, redirectUri: true },
  ...{ codeChallenge: true, scopes: true, state: true, nonce: true, configTypes: true },
  ...{ csrPem: true, apiSessionId: true, isCodeUsed: true, deviceCodeHash: true },
} as const;

/** A request that is under way, with the API session that its first proof opened. */
export type AuthorizationRequest = Selected<'AuthorizationRequest', typeof REQUEST>;

/** Requests to which somebody may log in: they have no tokens, and for a device no decision. */
export const UNDER_WAY = { isCodeUsed: false, isApproved: null } as const;

/** The request that is under way with this id. */
export const find = (rows: Rows, id: string, now: Date): Promise<AuthorizationRequest | null> =>
  rows.readModel((models) =>
    models.authorizationRequest.findUnique({
      where: { id, expiresAt: { gt: now }, ...UNDER_WAY },
      select: REQUEST,
    }),
  );

/** Stores what a proof opened; the key of an earlier one counts no more. False if the request has ended. */
export async function joinSession(tx: Rows, id: string, opened: OpenedSession): Promise<boolean> {
  const { count } = await tx.writeModel((models) =>
    models.authorizationRequest.updateMany({
      where: { id, ...UNDER_WAY },
      data: { ...opened, keyHash: null, codeHash: null, codeExpiresAt: null },
    }),
  );
  return count > 0;
}

/** Stores the request for a certificate of a later proof for the same session. */
export const replaceCsr = (rows: Rows, id: string, csrPem: string): Promise<unknown> =>
  rows.writeModel((models) =>
    models.authorizationRequest.updateMany({ where: { id }, data: { csrPem } }),
  );

/** Stores the hash of the key that a complete login gets. */
export const complete = (rows: Rows, id: string, keyHash: string): Promise<unknown> =>
  rows.writeModel((models) =>
    models.authorizationRequest.updateMany({ where: { id }, data: { keyHash } }),
  );

interface NewCode {
  readonly id: string;
  readonly keyHash: string;
  readonly codeHash: string;
  readonly codeExpiresAt: Date;
}

/** Stores a code in place of an earlier one; false if the key is not that of the request. */
export async function storeCode(
  rows: Rows,
  { id, keyHash, codeHash, codeExpiresAt }: NewCode,
): Promise<boolean> {
  const { count } = await rows.writeModel((models) =>
    models.authorizationRequest.updateMany({
      where: { id, keyHash, isCodeUsed: false },
      data: { codeHash, codeExpiresAt },
    }),
  );
  return count > 0;
}

type CodeOwner = AuthorizationRequest & Pick<RequestRow, 'codeExpiresAt'>;

/**
 * Locks the request of a code until the commit: of two who exchange it, the second sees that it is used.
 * Models have no locks.
 */
export async function lockByCode(tx: Rows, codeHash: string): Promise<CodeOwner | undefined> {
  const [request] = await tx.query(
    sql<CodeOwner>`select id, created_at as "createdAt", expires_at as "expiresAt", client_id as "clientId",
        redirect_uri as "redirectUri", code_challenge as "codeChallenge", scopes, state, nonce,
        config_types as "configTypes", csr_pem as "csrPem", api_session_id as "apiSessionId", is_code_used as "isCodeUsed",
        code_expires_at as "codeExpiresAt", device_code_hash as "deviceCodeHash"
      from authorization_request where code_hash = ${codeHash}::text for update`,
  );
  return request;
}

export const markCodeUsed = (tx: Rows, id: string): Promise<unknown> =>
  tx.writeModel((models) =>
    models.authorizationRequest.updateMany({ where: { id }, data: { isCodeUsed: true } }),
  );

/** Deletes requests whose time has been over for a while: devices learn from theirs that it is over. */
export const removeEnded = (rows: Rows, now: Date): Promise<unknown> =>
  rows.writeModel((models) =>
    models.authorizationRequest.deleteMany({
      where: { expiresAt: { lte: new Date(now.getTime() - FORGET_MILLIS) } },
    }),
  );
