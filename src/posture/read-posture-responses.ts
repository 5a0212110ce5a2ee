import { invalidField } from '../base/errors.js';
import { isStorableText, UNSTORABLE } from '../base/storable.js';
import { booleanAt, choiceAt, isSent, listAt, objectAt, textAt } from '../base/values.js';

export const postureResponseTypeIds = ['OS', 'DOMAIN', 'MAC', 'PROCESS', 'ENDPOINT_STATE'] as const;
export type PostureResponseTypeId = (typeof postureResponseTypeIds)[number];

interface Answers {
  readonly OS: { readonly type: string; readonly version: string; readonly build: string };
  readonly DOMAIN: { readonly domain: string };
  readonly MAC: { readonly macAddresses: readonly string[] };
  readonly PROCESS: {
    readonly path: string;
    readonly isRunning: boolean;
    readonly hash: string;
    readonly signerFingerprints: readonly string[];
  };
  readonly ENDPOINT_STATE: { readonly woken: boolean; readonly unlocked: boolean };
}

/** What a client says of its device; `id` is that of the check which it answers. */
export type PostureResponse = {
  [T in PostureResponseTypeId]: { readonly typeId: T; readonly id: string } & Answers[T];
}[PostureResponseTypeId];

/** Bounds of what one identity can make the controller keep. */
const MAX_RESPONSES = 500;
const MAX_TEXT = 255;
const MAX_PATH = 4096;
const MAX_ADDRESSES = 256;
const MAX_SIGNERS = 32;

/** Text may be empty: a device without a domain says so. */
function anyTextAt(value: unknown, field: string, longest = MAX_TEXT): string {
  if (!isSent(value)) throw invalidField(field, 'is required', null);
  if (typeof value !== 'string') throw invalidField(field, 'must be text', value);
  if (value.length > longest) {
    throw invalidField(field, `must have at most ${longest} characters`, value);
  }
  if (!isStorableText(value)) throw invalidField(field, UNSTORABLE, value);
  return value;
}

function textsAt(value: unknown, field: string, most: number): string[] {
  if (!isSent(value)) throw invalidField(field, 'is required', null);
  if (Array.isArray(value) && value.length > most) {
    throw invalidField(field, `must have at most ${most} entries`, value);
  }
  return listAt(value, field, (entry, at) => anyTextAt(entry, at));
}

const flagAt = (value: unknown, field: string): boolean =>
  isSent(value) ? booleanAt(value, field) : false;

type Sent = Record<string, unknown>;

/** `at` gives the place of a member, for faults. */
type Place = (member: string) => string;

const readers: {
  readonly [T in PostureResponseTypeId]: (sent: Sent, at: Place) => Answers[T];
} = {
  OS: ({ type, version, build }, at) => ({
    type: anyTextAt(type, at('type')),
    version: anyTextAt(version, at('version')),
    build: anyTextAt(build ?? '', at('build')),
  }),
  DOMAIN: ({ domain }, at) => ({ domain: anyTextAt(domain, at('domain')) }),
  MAC: ({ macAddresses }, at) => ({
    macAddresses: textsAt(macAddresses, at('macAddresses'), MAX_ADDRESSES),
  }),
  PROCESS: ({ path, isRunning, hash, signerFingerprints }, at) => ({
    path: anyTextAt(path ?? '', at('path'), MAX_PATH),
    isRunning: flagAt(isRunning, at('isRunning')),
    hash: anyTextAt(hash ?? '', at('hash')),
    signerFingerprints: textsAt(signerFingerprints ?? [], at('signerFingerprints'), MAX_SIGNERS),
  }),
  ENDPOINT_STATE: ({ woken, unlocked }, at) => ({
    woken: flagAt(woken, at('woken')),
    unlocked: flagAt(unlocked, at('unlocked')),
  }),
};

function responseAt(value: unknown, place: string): PostureResponse {
  const sent = objectAt(value, place || 'body');
  const at: Place = (member) => (place ? `${place}.${member}` : member);
  const typeId = choiceAt(postureResponseTypeIds, sent.typeId, at('typeId'));
  const id = anyTextAt(textAt(sent.id, at('id')), at('id'));
  // The compiler does not relate the reader of a type to the answer of the same type.
  return { typeId, id, ...readers[typeId](sent, at) } as PostureResponse;
}

/** Checks the body of one response; a fault is 400 with its field, as in `macAddresses[1]`. */
export const readPostureResponse = (body: unknown): PostureResponse => responseAt(body, '');

/** Checks the body of many; one fault refuses them all, its field as in `[2].typeId`. */
export function readPostureResponses(body: unknown): PostureResponse[] {
  if (!Array.isArray(body)) throw invalidField('body', 'must be a list', body);
  if (body.length > MAX_RESPONSES) {
    throw invalidField('body', `must have at most ${MAX_RESPONSES} entries`, body.length);
  }
  return listAt(body, '', responseAt);
}
