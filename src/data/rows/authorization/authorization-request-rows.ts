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

/**
 * The API session that a proof opened, the request for a certificate that came with it, and the hash of a
 * key: that of a page, or that of a login that misses no other proof.
 */
type OpenedSession = Pick<RequestRow, 'apiSessionId' | 'csrPem' | 'keyHash'>;

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
  ...{ csrPem: true, apiSessionId: true, isCodeUsed: true, deviceCodeHash: true, keyHash: true },
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
      data: { ...opened, codeHash: null, codeExpiresAt: null },
    }),
  );
  return count > 0;
}

/** Stores the request for a certificate of a later proof for the same session. */
export const replaceCsr = (rows: Rows, id: string, csrPem: string): Promise<unknown> =>
  rows.writeModel((models) =>
    models.authorizationRequest.updateMany({ where: { id }, data: { csrPem } }),
  );

/** Stores the hash of the key that the last answer of a login gives. */
export const replaceKey = (rows: Rows, id: string, keyHash: string): Promise<unknown> =>
  rows.writeModel((models) =>
    models.authorizationRequest.updateMany({ where: { id }, data: { keyHash } }),
  );

interface NewCode {
  readonly id: string;
  readonly keyHash: string;
  readonly codeHash: string;
  readonly codeExpiresAt: Date;
}

const ANSWER = { redirectUri: true, state: true, apiSessionId: true } as const;

/** A request whose client gets an answer. */
export type AnsweredRequest = Selected<'AuthorizationRequest', typeof ANSWER>;

/** Stores a code in place of an earlier one; undefined if the key is not that of the request. */
export async function storeCode(
  rows: Rows,
  { id, keyHash, codeHash, codeExpiresAt }: NewCode,
  now: Date,
): Promise<AnsweredRequest | undefined> {
  const [answered] = await rows.writeModel((models) =>
    models.authorizationRequest.updateManyAndReturn({
      where: { id, keyHash, expiresAt: { gt: now }, deviceCodeHash: null, ...UNDER_WAY },
      data: { codeHash, codeExpiresAt },
      select: ANSWER,
    }),
  );
  return answered;
}

/** The facts by which a client proves that a code is its own. */
export type CodeGrant = Pick<RequestRow, 'clientId' | 'redirectUri' | 'codeChallenge'> & {
  readonly codeHash: string;
};

const TOKENS = { apiSessionId: true, scopes: true, nonce: true, csrPem: true } as const;

/** A request whose code is exchanged for tokens. */
type ExchangedRequest = Selected<'AuthorizationRequest', typeof TOKENS>;

/**
 * Uses up a code; undefined if it has ended, was used, or is not that of the grant. One statement: of two
 * that exchange a code, the second one sees that it is used.
 */
export async function useCode(
  rows: Rows,
  grant: CodeGrant,
  now: Date,
): Promise<ExchangedRequest | undefined> {
  const [request] = await rows.writeModel((models) =>
    models.authorizationRequest.updateManyAndReturn({
      where: { ...grant, isCodeUsed: false, codeExpiresAt: { gt: now } },
      data: { isCodeUsed: true },
      select: TOKENS,
    }),
  );
  return request;
}

const CODE = {
  ...{ clientId: true, redirectUri: true, codeChallenge: true, apiSessionId: true },
  ...{ isCodeUsed: true, codeExpiresAt: true },
} as const;

/** A request with the state of its code. */
export type CodeOwner = Selected<'AuthorizationRequest', typeof CODE>;

export async function findByCode(rows: Rows, codeHash: string): Promise<CodeOwner | undefined> {
  const [owner] = await rows.readModel((models) =>
    models.authorizationRequest.findMany({ where: { codeHash }, select: CODE }),
  );
  return owner;
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
