import type { IncomingMessage } from 'node:http';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import type { ApiError } from '../../../src/base/errors.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import type { InProcess } from '../../support/in-process.js';

export const MINUTE = 60_000;

/** Stands still until it is moved. */
export class TestClock {
  constructor(private millis = Date.parse('2026-11-20T12:00:00Z')) {}

  readonly now = (): Date => new Date(this.millis);

  advance(millis: number): void {
    this.millis += millis;
  }
}

/** A request with headers, as far as a context is made of it. */
export function contextOf(
  controller: InProcess,
  headers: Readonly<Record<string, string>> = {},
): Promise<RequestContext> {
  const request = {
    headers,
    rawHeaders: Object.entries(headers).flat(),
    socket: { remoteAddress: '127.0.0.1' },
  };
  return controller.parts.contexts.create(request as unknown as IncomingMessage);
}

export const inSession = (
  controller: InProcess,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RequestContext> => contextOf(controller, { ...headers, 'zt-session': token });

const LOGIN = `mutation ($username: String!, $password: String!) {
  authenticate(method: "password", input: { username: $username, password: $password }) { id token } }`;

export const ADMIN_LOGIN = { username: 'admin', password: 'correct horse' };

/** Logs in and gives the new session, or the code of the refusal. */
export async function login(
  controller: InProcess,
  credentials: Row = ADMIN_LOGIN,
): Promise<{ id: string; token: string } | string> {
  const { data, errors } = await controller.graph(LOGIN, credentials, controller.anonymous());
  const [error] = errors;
  if (errors.length > 0) return error?.code ?? 'UNEXPECTED';
  return data?.authenticate as { id: string; token: string };
}

/** Logs in from an address; gives the refusal. */
export async function loginFrom(
  controller: InProcess,
  credentials: Row,
  address: string,
): Promise<ApiError | undefined> {
  const ctx = { ...controller.anonymous(), address };
  const { errors, messages } = await controller.graph(LOGIN, credentials, ctx);
  if (messages.length > 0 && !errors[0]) throw new Error(messages.join('\n'));
  return errors[0];
}

/** The token of a login that must succeed. */
export async function tokenOf(controller: InProcess, credentials?: Row): Promise<string> {
  const session = await login(controller, credentials);
  if (typeof session === 'string') throw new Error(`login: ${session}`);
  return session.token;
}

/** An identity with a password, under an auth policy. */
export async function newUser(
  controller: InProcess,
  username: string,
  identity: Row = {},
): Promise<{ id: string; authenticatorId: string; username: string; password: string }> {
  const password = 'battery staple';
  const id = await controller.create('Identity', {
    name: username,
    type: 'Default',
    isAdmin: false,
    ...identity,
  });
  const authenticatorId = await controller.create('Authenticator', {
    identityId: id,
    method: 'updb',
    username,
    password,
  });
  return { id, authenticatorId, username, password };
}

/** When the database last heard of a session; undefined when there is none. */
export async function storedActivity(
  controller: InProcess,
  token: string,
): Promise<Date | undefined> {
  const [row] = await controller.parts.store.query(
    sql<{
      last_activity_at: Date;
    }>`select last_activity_at from api_session where token = ${token}::text`,
  );
  return row?.last_activity_at;
}
