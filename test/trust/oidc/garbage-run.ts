import { Agent } from 'node:https';
import { isObject } from '../../../src/base/row.js';
import { parsed } from '../../fuzz/judge.js';
import { Random } from '../../fuzz/random.js';
import {
  ADMIN_PASSWORD,
  startControllerProcess,
  type ControllerProcess,
} from '../../support/controller.js';
import { newPerson, PASSWORD } from '../auth/client.js';
import { DeviceBrowser, DeviceClient, DEVICE_CODE, formIn } from './device-client.js';
import { garbageRequest, type GarbageRequest, type UsualValues } from './garbage-requests.js';
import { ask, LoginClient, REDIRECT, type OidcAnswer } from './login-client.js';

/* Sends garbage to the provider, and judges each answer by the standards. */

export interface GarbageOptions {
  readonly seed: number;
  readonly count: number;
  /** Called now and then with the number of requests so far. */
  readonly onPart?: (sent: number) => void;
}

export interface GarbageResult {
  readonly sent: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** Answers that say no. */
  readonly refused: number;
  /** Requests, by seed and number, with what is wrong with their answers; and secrets in the log. */
  readonly faults: readonly string[];
}

/** Requests at the same time. */
const CONNECTIONS = 6;
/** Garbage uses up what was valid: after so many requests there is something new. */
const RENEWED_AFTER = 2_000;
const MAX_FAULTS = 20;

/** Sends the requests of a seed to a controller of their own. */
export async function runGarbage(options: GarbageOptions): Promise<GarbageResult> {
  const env = { OVERGRAPH_LOGIN_LIMIT: '0', OVERGRAPH_LOG_LEVEL: 'trace' };
  const controller = await startControllerProcess({ env });
  const log = logOf(controller);
  const agent = new Agent({ rejectUnauthorized: false, keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const run = new GarbageRun(controller, agent, options);
    await run.send();
    const isAlive = controller.child.exitCode === null;
    const { sent, refused, statuses } = run;
    return {
      ...{ sent, refused, statuses },
      faults: [...run.faults, ...(isAlive ? [] : ['the controller ended']), ...run.leaks(log())],
    };
  } finally {
    agent.destroy();
    await controller.stop();
  }
}

function logOf({ child }: ControllerProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  }
  return () => chunks.join('');
}

class GarbageRun {
  sent = 0;
  refused = 0;
  readonly statuses = new Map<number, number>();
  readonly faults: string[] = [];
  readonly #secrets = new Set<string>([PASSWORD, ADMIN_PASSWORD]);

  constructor(
    private readonly controller: ControllerProcess,
    private readonly agent: Agent,
    private readonly options: GarbageOptions,
  ) {}

  async send(): Promise<void> {
    const { count, onPart } = this.options;
    while (this.sent < count && this.faults.length < MAX_FAULTS) {
      const usual = await this.usualValues();
      const end = Math.min(count, this.sent + RENEWED_AFTER);
      await Promise.all(Array.from({ length: CONNECTIONS }, () => this.sendUpTo(end, usual)));
      onPart?.(this.sent);
    }
  }

  /** Secrets in the log. */
  leaks(log: string): string[] {
    const shown = [...this.#secrets].filter((secret) => log.includes(secret));
    return shown.map((secret) => `the log has the secret ${secret.slice(0, 20)}`);
  }

  private async sendUpTo(end: number, usual: UsualValues): Promise<void> {
    const { seed } = this.options;
    while (this.sent < end) {
      const index = this.sent;
      this.sent += 1;
      const request = garbageRequest(new Random(seed, index), usual);
      const { method, path, query, call } = request;
      const address = query === '' ? path : `${path}?${query}`;
      const answer = await ask(this.controller.port, method, address, {
        ...call,
        agent: this.agent,
      });
      this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
      if (answer.status >= 400) this.refused += 1;
      for (const fault of faultsOf(request, answer, this.controller.port)) {
        const what = `${String(answer.status)} ${answer.text.slice(0, 200)}`;
        this.faults.push(
          `${String(index)} of seed ${String(seed)}, ${method} ${path}: ${fault}: ${what}`,
        );
      }
    }
  }

  /** The codes, keys and tokens that clients of the provider hold at the moment. */
  private async usualValues(): Promise<UsualValues> {
    const { username } = await newPerson(this.controller);
    const client = new LoginClient(this.controller);
    const tokens = await client.logInByPassword(username, PASSWORD);
    await client.begin();
    const code = await client.code(await client.password(username, PASSWORD));
    const device = await DeviceClient.begin(this.controller);
    const page = await new DeviceBrowser(this.controller).logIn(device.userCode, username);
    const { id = '', key = '' } = formIn(page).fields;
    const other = await DeviceClient.begin(this.controller);
    const { access_token, refresh_token, id_token } = tokens;
    const { device_code, user_code } = other.codes;
    for (const token of [access_token, refresh_token, id_token]) {
      this.#secrets.add(token.split('.')[2] ?? token);
    }
    for (const secret of [code, key, device_code, user_code, device.codes.device_code]) {
      this.#secrets.add(secret);
    }
    this.#secrets.add(client.verifier);
    return {
      ...Object.fromEntries([...client.parameters()].map(([name, value]) => [name, [value]])),
      ...{ id: [client.id, id], authRequestID: [client.id], key: [key], code: [code, '123456'] },
      ...{ username: ['somebody'], device_code: [device_code], user_code: [user_code] },
      ...{
        decision: ['allow', 'deny'],
        code_verifier: [client.verifier],
        redirect_uri: [REDIRECT],
      },
      grant_type: ['authorization_code', 'refresh_token', DEVICE_CODE, EXCHANGE],
      ...{ refresh_token: [refresh_token], subject_token: [refresh_token, access_token] },
      subject_token_type: ['access_token', 'refresh_token'].map((type) => TYPE + type),
      ...{ token: [access_token, refresh_token], id_token_hint: [id_token] },
    };
  }
}

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TYPE = 'urn:ietf:params:oauth:token-type:';

/** Endpoints for logins: their refusals are pages, or have the form of the clients of the field. */
const OF_LOGINS = /^\/oidc\/(login\/|device(\/confirm)?$|authorize\/callback|userinfo)/;

const CODES: ReadonlySet<unknown> = new Set([
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client'],
  ...['unsupported_grant_type', 'invalid_scope', 'access_denied', 'temporarily_unavailable'],
  ...['authorization_pending', 'slow_down', 'expired_token'],
]);
/** RFC 6749 5.2 */
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

/** The faults of an answer. */
function faultsOf(request: GarbageRequest, answer: OidcAnswer, port: number): string[] {
  const { status, headers, text } = answer;
  const faults = [
    ...(status >= 500 ? ['a fault'] : []),
    ...(/\bat \w+.*\.[jt]s:\d+|node_modules/.test(text) ? ['a stack'] : []),
    ...(headers.location === undefined ? [] : foreignRedirect(headers.location, port)),
  ];
  if (status < 400 || isForeignHost(request, answer)) return faults;
  return [
    ...faults,
    ...(OF_LOGINS.test(request.path) ? ofLogin(request, answer) : ofOAuth(answer)),
  ];
}

/** At a host that is no issuer there is no provider, so that nothing has its form. */
const isForeignHost = ({ call }: GarbageRequest, { status, text }: OidcAnswer): boolean =>
  call.headers?.host !== undefined && status === 404 && text === 'not found';

function foreignRedirect(location: string | readonly string[], port: number): string[] {
  const own = [`/oidc/`, `https://localhost:${String(port)}/oidc/`, REDIRECT, 'openziti://auth/'];
  const isOwn = own.some((start) => String(location).startsWith(start));
  return isOwn || isLoopback(String(location)) ? [] : [`a redirect to ${String(location)}`];
}

const isLoopback = (location: string): boolean =>
  URL.canParse(location) &&
  ['localhost', '127.0.0.1', '[::1]'].includes(new URL(location).hostname);

/** The members of an answer; none when it is no JSON. */
const membersOf = ({ text }: OidcAnswer): Readonly<Record<string, unknown>> => {
  const body = parsed(text);
  return isObject(body) ? body : {};
};

function ofOAuth(answer: OidcAnswer): string[] {
  const { error, error_description: description, ...others } = membersOf(answer);
  const { headers } = answer;
  return [
    ...(headers['content-type'] === 'application/json' ? [] : ['no JSON']),
    ...(CODES.has(error) ? [] : [`the code ${String(error)}`]),
    ...(DESCRIPTION.test(String(description)) ? [] : ['an odd description']),
    ...(Object.keys(others).length === 0 ? [] : ['odd members']),
  ];
}

function ofLogin({ call }: GarbageRequest, answer: OidcAnswer): string[] {
  const { headers, text } = answer;
  const type = String(headers['content-type']);
  if (String(call.headers?.accept).includes('text/html')) {
    const isPage = type.startsWith('text/html') && text.includes('role="alert"');
    return [...(isPage ? [] : ['no page']), ...(text.includes('<script') ? ['a script'] : [])];
  }
  const { code, message } = membersOf(answer);
  const isRefusal = typeof code === 'string' && typeof message === 'string';
  return type === 'application/json' && isRefusal ? [] : ['no clear refusal'];
}
