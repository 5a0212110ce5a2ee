import { isObject } from '../../src/base/row.js';
import type { Outcome } from './raw-client.js';

const SERVER_FAULT = 500;
const MAY_BE_FAULT = /"(?:UNHANDLED|INTERNAL_SERVER_ERROR)"|"status":5\d\d/;

/** What an answer says of a fault of the server; undefined when there is none. */
export function faultIn({ status, text }: Outcome): string | undefined {
  if (status >= SERVER_FAULT) return `${String(status)} ${codeIn(text)}`;
  if (!MAY_BE_FAULT.test(text)) return undefined;
  const fault = texts(text).flatMap(errorsIn).find(isServerFault);
  return fault && `${String(statusOf(fault))} ${String(fault.extensions.code)}`;
}

/** The documents in an answer: one, or a line of messages or events each. */
const texts = (text: string): unknown[] =>
  text.split('\n').map((line) => parsed(line.replace(/^data: /, '')));

interface GraphFault {
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Errors of a document, of each of a batch, or of a message of a socket. */
function errorsIn(body: unknown): GraphFault[] {
  if (Array.isArray(body)) return body.flatMap(errorsIn);
  if (!isObject(body)) return [];
  const { errors, payload } = body;
  const inside = isObject(payload) ? payload.errors : undefined;
  return [errors, payload, inside]
    .flatMap(listOf)
    .filter((error: unknown): error is GraphFault => isObject(error) && isObject(error.extensions));
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const statusOf = ({ extensions }: GraphFault): number => Number(extensions.status);

const isServerFault = (fault: GraphFault): boolean =>
  statusOf(fault) >= SERVER_FAULT ||
  ['UNHANDLED', 'INTERNAL_SERVER_ERROR'].includes(String(fault.extensions.code));

function codeIn(text: string): string {
  const body = parsed(text);
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  return typeof error.code === 'string' ? error.code : text.slice(0, 100);
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
