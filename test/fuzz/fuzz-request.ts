/** Who sends a request. */
export const CALLERS = ['stranger', 'powerless', 'reader', 'editor', 'administrator'] as const;
export type CallerKind = (typeof CALLERS)[number];

export type Field = readonly [name: string, value: string];

export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  /** Sent as UTF-8. */
  | { readonly kind: 'text'; readonly text: string }
  /** One byte for each character. */
  | { readonly kind: 'bytes'; readonly latin1: string };

/** How a body is sent: announced by its length, in chunks, or broken off somewhere. */
export type Framing = 'length' | 'chunks' | 'cut';

/** A request over HTTP, with placeholders for what exists. */
export interface FuzzRequest {
  /** Its number in the run: with the seed it makes the same request again. */
  readonly index: number;
  /** What it was made for, such as `management createIdentity`. */
  readonly operation: string;
  readonly caller: CallerKind;
  readonly method: string;
  readonly path: string;
  readonly query: readonly Field[];
  readonly headers: readonly Field[];
  readonly body: Body;
  readonly framing: Framing;
  /** Changes that were made to what the documents ask for. */
  readonly mutations: readonly string[];
  /** What a success creates: of which kind its id is. */
  readonly creates?: string;
  /** The answer goes on until the client leaves. */
  readonly isStream?: boolean;
}

/** What goes over the wire for a request. */
export interface WireRequest {
  readonly bytes: Buffer;
  /** The client leaves without an answer. */
  readonly isCut: boolean;
  /** It is no HTTP: the server may close the connection without a word. */
  readonly isMalformed: boolean;
  readonly isHead: boolean;
  readonly isStream: boolean;
}

/** Path and query in the form of a URL; characters that no URL has are sent as they are. */
export const targetOf = ({ path, query }: Pick<FuzzRequest, 'path' | 'query'>): string =>
  query.length === 0
    ? path
    : `${path}?${query.map(([k, v]) => `${escaped(k)}=${escaped(v)}`).join('&')}`;

/** With another character in place of halves of a pair, which no URL can have. */
export const wellFormed = (text: string): string => Buffer.from(text).toString();

/** A value that begins with this is sent as it is. */
export const RAW = '\u0001';

/** A mutation may have taken the text away. */
const escaped = (text = ''): string =>
  text.startsWith(RAW) ? text.slice(RAW.length) : encodeURIComponent(wellFormed(text));

/** Mutations leave `undefined` behind, for which JSON has no word. */
export const jsonOf = (value: unknown): string => JSON.stringify(value ?? null);

/** The text of a body, before placeholders are filled in; JSON keeps lone surrogates escaped. */
export function textOf(body: Body): string {
  switch (body.kind) {
    case 'none':
      return '';
    case 'json':
      return jsonOf(body.value);
    case 'text':
      return body.text;
    case 'bytes':
      return body.latin1;
  }
}
