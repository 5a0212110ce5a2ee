import type { TestController } from '../../support/controller.js';
import { PASSWORD, runSql } from '../auth/client.js';
import { ask, pathIn, type OidcAnswer, type OidcCall } from './login-client.js';

/* A device without a browser, and the person that logs it in with another one (RFC 8628). */

export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

const headers = { accept: 'text/html' };

type Ports = Pick<TestController, 'port'>;

/** The answer to the request of a device. */
export interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** A device that has asked for a login. */
export class DeviceClient {
  private constructor(
    private readonly controller: Ports,
    readonly clientId: string,
    readonly codes: DeviceCodes,
  ) {}

  static async begin(controller: Ports, clientId = 'native'): Promise<DeviceClient> {
    const form = { client_id: clientId, scope: 'openid offline_access' };
    const answer = await ask(controller.port, 'POST', '/oidc/device_authorization', { form });
    if (answer.status !== 200) throw new Error(`no codes: ${answer.text}`);
    return new DeviceClient(controller, clientId, answer.body as unknown as DeviceCodes);
  }

  get userCode(): string {
    return this.codes.user_code;
  }

  /** Asks for its tokens once. */
  poll(
    change: Readonly<Record<string, string>> = {},
    { port } = this.controller,
    call: OidcCall = {},
  ): Promise<OidcAnswer> {
    const { device_code } = this.codes;
    const form = { grant_type: DEVICE_CODE, client_id: this.clientId, device_code, ...change };
    return ask(port, 'POST', '/oidc/oauth/token', { ...call, form });
  }

  /** The error of an answer; undefined for tokens. */
  async pollError(change: Readonly<Record<string, string>> = {}): Promise<string | undefined> {
    return (await this.poll(change)).body.error;
  }
}

/** Lets time pass for the requests of all devices. */
export const passTime = (
  controller: Pick<TestController, 'databaseUrl'>,
  column: 'expires_at' | 'polled_at',
  seconds: number,
): Promise<unknown> =>
  runSql(
    controller,
    `update authorization_request set ${column} = ${column} - make_interval(secs => $1)
      where device_code_hash is not null`,
    [seconds],
  );

/** The hidden fields and the addresses of forms of a page, as a browser sends them. */
export function formIn({ text }: OidcAnswer): { action: string; fields: Record<string, string> } {
  const [, action] = /<form method="post" action="([^"]+)"/.exec(text) ?? [];
  if (action === undefined) throw new Error(`no form: ${text}`);
  const inputs = text.matchAll(/<input (?:type="hidden"|id="\w+") name="(\w+)" value="([^"]*)"/g);
  return {
    action,
    fields: Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value])),
  };
}

/** The browser of a person that logs a device in. */
export class DeviceBrowser {
  constructor(private readonly controller: Ports) {}

  get(path: string): Promise<OidcAnswer> {
    return ask(this.controller.port, 'GET', path, { headers });
  }

  post(path: string, form: Record<string, string>): Promise<OidcAnswer> {
    return ask(this.controller.port, 'POST', path, { form, headers });
  }

  /** Enters a user code, and gives the page of the login. */
  async enter(userCode: string): Promise<OidcAnswer> {
    const answer = await this.post('/oidc/device', { user_code: userCode });
    return answer.status === 302 ? this.get(pathIn(answer)) : answer;
  }

  /** Logs in by password where a device is to log in; gives the answer. */
  async prove(userCode: string, username: string, password = PASSWORD): Promise<OidcAnswer> {
    const { action } = formIn(await this.enter(userCode));
    return this.post(action, { username, password });
  }

  /** Logs in, and gives the page for the decision. */
  async logIn(userCode: string, username: string, password = PASSWORD): Promise<OidcAnswer> {
    return this.get(pathIn(await this.prove(userCode, username, password)));
  }

  /** Presses a button of the page for the decision. */
  decide(page: OidcAnswer, decision: 'allow' | 'deny'): Promise<OidcAnswer> {
    const { action, fields } = formIn(page);
    return this.post(action, { ...fields, decision });
  }

  /** All steps of a person that lets a device in. */
  async approve(userCode: string, username: string, password = PASSWORD): Promise<void> {
    const decided = await this.decide(await this.logIn(userCode, username, password), 'allow');
    if (decided.status !== 200) throw new Error(`not approved: ${decided.text}`);
  }
}
