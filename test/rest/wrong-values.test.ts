import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { restOperations, type RestOperation } from '../fuzz/rest-operations.js';
import { InProcess, InProcessRest } from '../support/in-process.js';
import { oddRequests, type OddRequest } from './support/wrong-values.js';
import type { Row } from '../../src/base/row.js';

let controller: InProcess;
let rest: InProcessRest;

beforeAll(async () => {
  controller = await InProcess.start();
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await controller.stop();
});

/** Operations of which members with another type count as not sent: old clients send such. */
const LENIENT =
  /^(POST \S+\/(authenticate|sessions)|DELETE \S+\/mfa|(GET|POST) \S+\/recovery-codes)$/;

/** Proofs may be any text: a wrong one is only a wrong proof. */
const PROOFS = /\/(enroll|mfa|authenticate|totp-token)(\/|$)/;

const isWrongFor = ({ method, path }: RestOperation, { isWrong, value }: OddRequest): boolean =>
  isWrong &&
  !LENIENT.test(`${method} ${path}`) &&
  !(value === 'text with NUL' && PROOFS.test(path));

interface Failure {
  readonly error?: { readonly code: string; readonly cause?: Row };
  readonly meta: Row;
}

const VERSIONS = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' };
const OF_GRAPH = /Variable "|got invalid value|cannot represent|GraphQL|of required type|Expected /;

/** Sends the request with each of its bodies, and says what the answers lack. */
async function faultsOf(operation: RestOperation, odd: OddRequest): Promise<string[]> {
  const { method } = operation;
  const texts = odd.texts.length > 0 && method !== 'GET' ? odd.texts : [undefined];
  const silent: string[] = [];
  for (const text of texts) {
    const answer = await rest.sendText(method, odd.path, text, odd.headers);
    const told = `${odd.field} = ${odd.value}, ${odd.path} ${text ?? ''}: ${String(answer.status)} ${answer.text.slice(0, 400)}`;
    const faults = faultsOfAny(answer);
    if (faults.length > 0) return [`${faults.join(', ')}: ${told}`];
    // One of the kinds of an object has the member.
    if (!isWrongFor(operation, odd) || blames(odd, answer)) return [];
    silent.push(`not blamed: ${told}`);
  }
  return silent.slice(0, 1);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What no answer may have. */
function faultsOfAny({ status, text }: Answer): string[] {
  if (status < 400) return [];
  const { error, meta } = JSON.parse(text) as Failure;
  const hasField = error?.code !== 'COULD_NOT_VALIDATE' || error.cause?.field !== undefined;
  return [
    ...(status >= 500 ? ['a fault of the server'] : []),
    ...(OF_GRAPH.test(text) ? ['words of the graph'] : []),
    ...(JSON.stringify(meta) === JSON.stringify(VERSIONS) ? [] : ['no versions']),
    ...(hasField ? [] : ['no field']),
  ];
}

/** Whether an answer refuses the value and names its place. */
function blames({ field }: OddRequest, { status, text }: Answer): boolean {
  const { error } = JSON.parse(text) as Failure;
  if (status !== 400 || error === undefined) return false;
  // The code alone names the argument.
  if (error.code === 'INVALID_AUTH_METHOD') return field === 'method';
  const blamed = String(error.cause?.field)
    .replace(/\[(\d+)\]/g, '.$1')
    .replace(/^\./, '');
  // Of a whole body the first member that it lacks may be named.
  return field === 'body' ? blamed !== 'undefined' : blamed === field;
}

describe('every operation refuses odd values in the words of REST', () => {
  const named = restOperations().map((operation) => ({
    name: `${operation.method} ${operation.path}`,
    operation,
  }));

  test.each(named)('$name', async ({ operation }) => {
    const faults: string[] = [];
    const requests = oddRequests(operation);
    for (let at = 0; at < requests.length; at += 16) {
      const some = requests.slice(at, at + 16).map((odd) => faultsOf(operation, odd));
      faults.push(...(await Promise.all(some)).flat());
    }
    expect(faults).toEqual([]);
  });
});
