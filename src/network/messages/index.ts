export type { Codec, Encodable } from './codec.js';
export * from './emitted/messages.js';
