import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { UNDER_WAY } from './authorization-request-rows.js';

/* The authorization requests of devices (RFC 8628), by their codes, and what persons decide about them. */

type RequestRow = TableRow<'AuthorizationRequest'>;

/** The id of the request with a user code, if nobody has decided about it yet. */
export async function idOfUserCode(
  rows: Rows,
  userCodeHash: string,
  now: Date,
): Promise<string | undefined> {
  const [request] = await rows.readModel((models) =>
    models.authorizationRequest.findMany({
      where: { userCodeHash, expiresAt: { gt: now }, ...UNDER_WAY },
      select: { id: true },
    }),
  );
  return request?.id;
}

/** The request of a device with a complete login, which waits for the decision of the person. */
type UndecidedRequest = Pick<RequestRow, 'id' | 'clientId' | 'sender'> & {
  readonly apiSessionId: string;
};

const undecided = (id: string, keyHash: string, now: Date) => ({
  ...{ id, keyHash, expiresAt: { gt: now }, ...UNDER_WAY },
  deviceCodeHash: { not: null },
});

/** The request for whose decision a key was given; undefined if it is not open. */
export async function findUndecided(
  rows: Rows,
  { id, keyHash }: { readonly id: string; readonly keyHash: string },
  now: Date,
): Promise<UndecidedRequest | undefined> {
  const request = await rows.readModel((models) =>
    models.authorizationRequest.findUnique({
      where: undecided(id, keyHash, now),
      select: { id: true, clientId: true, sender: true, apiSessionId: true },
    }),
  );
  if (!request || request.apiSessionId === null) return undefined;
  return { ...request, apiSessionId: request.apiSessionId };
}

export interface DeviceDecision {
  readonly id: string;
  /** Of the login that decides: a later login has another one. */
  readonly keyHash: string;
  readonly isApproved: boolean;
}

/**
 * Stores a decision; false if there is one, or the key is not that of the last login. A refused request
 * leaves its session, which ends then, to tell the device.
 */
export async function decide(
  rows: Rows,
  { id, keyHash, isApproved }: DeviceDecision,
  now: Date,
): Promise<boolean> {
  const { count } = await rows.writeModel((models) =>
    models.authorizationRequest.updateMany({
      where: undecided(id, keyHash, now),
      data: { isApproved, keyHash: null, ...(isApproved ? {} : { apiSessionId: null }) },
    }),
  );
  return count > 0;
}

/** The request of a device, as the device asks for its tokens. */
export type DeviceRequest = Pick<
  RequestRow,
  | 'id'
  | 'clientId'
  | 'scopes'
  | 'apiSessionId'
  | 'isCodeUsed'
  | 'isApproved'
  | 'pollSeconds'
  | 'polledAt'
  | 'expiresAt'
>;

/**
 * Locks the request of a device code until the commit: of two who use the code, the second sees that it is
 * used. Models have no locks.
 */
export async function lockByDeviceCode(
  tx: Rows,
  deviceCodeHash: string,
): Promise<DeviceRequest | undefined> {
  const [request] = await tx.query(
    sql<DeviceRequest>`select id, client_id as "clientId", scopes, api_session_id as "apiSessionId",
        is_code_used as "isCodeUsed", is_approved as "isApproved", poll_seconds as "pollSeconds",
        polled_at as "polledAt", expires_at as "expiresAt"
      from authorization_request where device_code_hash = ${deviceCodeHash}::text for update`,
  );
  return request;
}

/** Stores when a device asked, and how long it has to wait before it asks again. */
export const recordPoll = (
  tx: Rows,
  { id, pollSeconds, polledAt }: Pick<DeviceRequest, 'id' | 'pollSeconds' | 'polledAt'>,
): Promise<unknown> =>
  tx.writeModel((models) =>
    models.authorizationRequest.updateMany({ where: { id }, data: { pollSeconds, polledAt } }),
  );
