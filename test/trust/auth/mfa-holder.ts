import { expect } from '@jest/globals';
import type { Answer, Envelope, TestController } from '../../support/controller.js';
import {
  call,
  loggedIn,
  newPerson,
  outcome,
  sessionIn,
  type Person,
  type SessionView,
} from './client.js';
import { oneTimeCode, secretIn } from './one-time-code.js';

export const MFA = '/current-identity/mfa';

export interface MfaRequest {
  readonly body?: unknown;
  /** For the header. */
  readonly code?: string;
  /** Token of the session, when it is not the holder's first. */
  readonly as?: string;
}

export interface MfaStatus {
  readonly isVerified: boolean;
  readonly provisioningUrl?: string;
  readonly recoveryCodes?: string[];
  readonly _links: Record<string, { href: string }>;
}

export interface PendingMfa {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Somebody who is logged in and deals with a second factor over REST. */
export class MfaHolder {
  private constructor(
    private readonly controller: TestController,
    readonly person: Person,
    readonly token: string,
  ) {}

  static async create(
    controller: TestController,
    identity: Record<string, unknown> = {},
  ): Promise<MfaHolder> {
    const person = await newPerson(controller, identity);
    return new MfaHolder(controller, person, (await loggedIn(controller, person)).token);
  }

  send(method: string, path: string, request: MfaRequest = {}): Promise<Answer<Envelope>> {
    const { body, code, as = this.token } = request;
    const headers = {
      'zt-session': as,
      ...(code === undefined ? {} : { 'mfa-validation-code': code }),
    };
    return call(this.controller, method, path, {
      headers,
      ...(body === undefined ? {} : { body }),
    });
  }

  /** One more session. */
  logIn(): Promise<SessionView> {
    return loggedIn(this.controller, this.person);
  }

  async current(as = this.token): Promise<SessionView> {
    return sessionIn(await this.send('GET', '/current-api-session', { as }));
  }

  async status(): Promise<MfaStatus> {
    return (await this.send('GET', MFA)).body.data;
  }

  async begin(): Promise<PendingMfa> {
    expect((await this.send('POST', MFA)).status).toBe(201);
    const { provisioningUrl = '', recoveryCodes = [] } = await this.status();
    return { secret: secretIn(provisioningUrl), recoveryCodes };
  }

  /** By the code before that of now, which stays good: a code counts once. */
  async complete(): Promise<PendingMfa> {
    const pending = await this.begin();
    const body = { code: oneTimeCode(pending.secret, new Date(), -1) };
    expect(outcome(await this.send('POST', `${MFA}/verify`, { body }))).toEqual([200, undefined]);
    return pending;
  }

  async isMfaEnabled(): Promise<boolean> {
    const { body } = await this.controller.rest('GET', `/identities/${this.person.id}`);
    return (body.data as { isMfaEnabled: boolean }).isMfaEnabled;
  }
}
