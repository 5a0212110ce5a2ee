import type { Interface, RestRow } from '../../../rest-compat/engine/rest-row.js';
import { BASE_PATHS } from '../../../src/base/interface-paths.js';
import type { Answer, Envelope } from '../../support/controller.js';
import type { SampleNetwork } from './network.js';
import type { OwnDocument } from './own-document.js';
import { urlOf, type SampleRequest } from './requests.js';

export interface Sending {
  /** `null`: without session. Default: that of the request, or of the default admin. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, in place of the request's body. */
  readonly text?: string | Buffer;
}

/** Looks at an answer and names its faults. */
export type Judge = (row: RestRow, on: Interface, answer: Answer) => string[];

/** Sends the requests of rows and has every answer judged. */
export class Walker {
  readonly #judges: Judge[];

  constructor(
    readonly network: SampleNetwork,
    documents: Readonly<Record<Interface, OwnDocument>>,
    more: readonly Judge[],
  ) {
    this.#judges = [
      (row, on, answer) => documentFaults(documents[on], row, answer),
      cachingFaults,
      ...more,
    ];
  }

  /** Sends and judges; throws when a judge finds a fault, so that no test can forget to look. */
  async send(
    row: RestRow,
    on: Interface,
    request: SampleRequest,
    sending: Sending = {},
  ): Promise<Answer<Envelope>> {
    const { controller } = this.network;
    const token = sending.token === undefined ? (request.token ?? controller.token) : sending.token;
    const text =
      sending.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    const answer = await controller.send<Envelope>(
      row.method,
      BASE_PATHS[on] + urlOf(row, request),
      {
        ...(text === undefined ? {} : { body: text }),
        headers: {
          // Node announces no body of a DELETE by itself.
          ...(text === undefined || sending.headers?.['transfer-encoding']
            ? {}
            : { 'content-length': String(Buffer.byteLength(text)) }),
          ...(text === undefined ? {} : { 'content-type': mediaTypeOf(row) }),
          ...sessionHeader(token),
          ...sending.headers,
        },
      },
    );
    const faults = this.#judges.flatMap((judge) => judge(row, on, answer));
    if (faults.length > 0) {
      throw new Error(
        `${row.method} ${row.path} answered ${answer.status}: ${faults.slice(0, 12).join('\n  ')}\n${answer.text.slice(0, 600)}`,
      );
    }
    return answer;
  }
}

const mediaTypeOf = (row: RestRow): string =>
  row.body?.kind === 'text' ? 'text/plain' : 'application/json';

/** Members that let somebody in, with a value. */
const SECRET = /"(?:\w*token|jwt|secret|provisioningUrl|\w*password)":"[^"]|"recoveryCodes":\["/i;

/** These introduce the network to anybody. */
const INTRODUCTION = 'listNetworkJWTs';

/** What only some may see, or what lets somebody in, is kept by no cache; nor is any refusal. */
function cachingFaults(
  { isPublic, operationId }: RestRow,
  _: Interface,
  { status, headers, text }: Answer,
): string[] {
  const mayBeKept = isPublic === true && status < 300;
  const isSecret = SECRET.test(text) && operationId !== INTRODUCTION;
  const told = headers['cache-control'];
  return [
    ...(told === (mayBeKept ? 'no-cache' : 'no-store') ? [] : [`caches are told ${String(told)}`]),
    ...(mayBeKept && isSecret ? ['caches may keep a secret'] : []),
  ];
}

function documentFaults(document: OwnDocument, row: RestRow, answer: Answer): string[] {
  const contentType = String(answer.headers['content-type']);
  const faults = document.faults(row, answer.status, contentType, answer.body);
  const isRaw = row.answer.kind === 'raw' && answer.status < 300;
  return isRaw ? faults : [...faults, ...envelopeFaults(answer)];
}

/** `{data, meta}` or `{error, meta}`, nothing else, and JSON without parameters. */
function envelopeFaults({ status, headers, body }: Answer): string[] {
  const members = Object.keys(body as object).sort();
  const expected = status < 300 ? ['data', 'meta'] : ['error', 'meta'];
  return [
    ...(members.join() === expected.join() ? [] : [`members are ${members.join()}`]),
    ...(headers['content-type'] === 'application/json' ? [] : ['content type is not plain JSON']),
  ];
}

/** Access tokens are JWTs; clients send them as bearer tokens alone. */
function sessionHeader(token: string | null): Record<string, string> {
  if (token === null) return {};
  return token.includes('.') ? { authorization: `Bearer ${token}` } : { 'zt-session': token };
}
