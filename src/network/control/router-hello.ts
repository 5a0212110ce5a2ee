import type { LinkListener, RouterHello, RouterVersion } from '../../data/rows/router/index.js';
import { CONTENT, HEADER } from './content-types.js';
import { messages } from './emitted/messages.js';
import { encodeFrame, type Frame } from './frame.js';
import { boolValue, readText, textValue, uint32Value } from './header-values.js';

/** The headers of a hello that only routers send. */
const HELLO_HEADER = { linkListeners: 10, capabilitiesOfVersion2: 1002 } as const;
/** The header of the answer with what this controller can do, to routers of version 1. */
const CAPABILITIES = 12;

/**
 * A mask of bits: 1, terminators with ids of the router; 2, links are reported by the router that
 * dialed them; 3, circuits requested by headers. Without bit 4 routers need no copy of the model.
 */
const ABILITIES = Buffer.from([0x0e]);

const NO_SEQUENCE = -1;
const VERSION_FIELDS = 5;

/** A hello that the controller refuses, with a text for the log of the router. */
export class HelloRefusal extends Error {}

/** Reads the hello of a router, without what its certificate proves. */
export function readHello({ type, headers, body }: Frame): Omit<RouterHello, 'fingerprint'> {
  if (type !== CONTENT.hello) throw new HelloRefusal('a connection begins with a hello');
  const routerId = readText(body);
  if (headers.has(HELLO_HEADER.capabilitiesOfVersion2)) {
    throw new HelloRefusal('this controller serves routers of the versions 1.6, not 2');
  }
  return {
    routerId,
    versionInfo: readVersion(readText(headers.get(HEADER.version))),
    linkListeners: readListeners(headers.get(HELLO_HEADER.linkListeners)),
  };
}

function readVersion(text: string): RouterVersion {
  const [version = '', revision = '', buildDate = '', os = '', arch = '', ...more] =
    text.split('|');
  if (arch === '' || more.length > 0) {
    throw new HelloRefusal(`a version has ${String(VERSION_FIELDS)} fields`);
  }
  return { version, revision, buildDate, os, arch };
}

function readListeners(value: Buffer | undefined): LinkListener[] {
  if (!value) return [];
  try {
    return messages.Listeners.decode(value).listeners;
  } catch {
    throw new HelloRefusal('the link listeners can not be read');
  }
}

export interface HelloAnswer {
  readonly controllerId: string;
  readonly connectionId: string;
  readonly version: RouterVersion;
}

/** Accepts a hello. */
export function acceptHello({ controllerId, connectionId, version }: HelloAnswer): Buffer {
  const { version: number, revision, buildDate, os, arch } = version;
  return result(true, '', [
    [HEADER.version, textValue([number, revision, buildDate, os, arch].join('|'))],
    [HEADER.controllerId, textValue(controllerId)],
    [HEADER.connectionId, textValue(connectionId)],
    [CAPABILITIES, ABILITIES],
  ]);
}

/** Refuses a hello; a router tries again after a while. */
export const refuseHello = (text: string): Buffer => result(false, text, []);

const result = (isSuccess: boolean, text: string, headers: readonly [number, Buffer][]): Buffer =>
  encodeFrame({
    type: CONTENT.result,
    sequence: NO_SEQUENCE,
    headers: new Map([
      [HEADER.replyFor, uint32Value(NO_SEQUENCE)],
      [HEADER.success, boolValue(isSuccess)],
      ...headers,
    ]),
    body: textValue(text),
  });
