import type { LinkListener, RouterHello, RouterVersion } from '../../data/rows/router/index.js';
import {
  capabilityMask,
  hasBit,
  type RouterCapability,
  type RouterGeneration,
} from './capabilities.js';
import {
  UNDERLAY_TYPES,
  type ChannelGroup,
  type GroupHello,
  type UnderlayType,
} from './channel-group.js';
import { CONTENT, HEADER } from './content-types.js';
import { messages } from '../messages/index.js';
import { encodeFrame, type Frame, type Headers } from './frame.js';
import { boolValue, readBool, readText, textValue, uint32Value } from './header-values.js';

/** The headers that say more about a router or a controller, by the generation of the router. */
const HELLO_HEADER = {
  1: { linkListeners: 10, capabilities: 12 },
  2: { linkListeners: 1000, capabilities: 1002 },
} as const;
/** The headers of a connection that belongs to a group; routers of version 1 use their numbers otherwise. */
const GROUP_HEADER = { type: 7, isGrouped: 9, secret: 10, isFirst: 11 } as const;
/** The bit of a router that uses the headers of generation 2. */
const USES_GENERATION_2 = 1;

const NO_SEQUENCE = -1;
const VERSION_FIELDS = 5;

/** A hello that the controller refuses, with a text for the log of the router. */
export class HelloRefusal extends Error {}

/** The facts about a router and its channel in the first frame of a connection. */
export interface Hello extends Omit<RouterHello, 'fingerprint'> {
  readonly generation: RouterGeneration;
  /** Undefined for a router with one connection. */
  readonly group: GroupHello | undefined;
}

/** Reads the hello of a router, without what its certificate proves. */
export function readHello({ type, headers, body }: Frame): Hello {
  if (type !== CONTENT.hello) throw new HelloRefusal('a connection begins with a hello');
  const mask = headers.get(HELLO_HEADER[2].capabilities);
  const generation = hasBit(mask, USES_GENERATION_2) ? 2 : 1;
  return {
    routerId: readText(body),
    versionInfo: readVersion(readText(headers.get(HEADER.version))),
    linkListeners: readListeners(headers.get(HELLO_HEADER[generation].linkListeners)),
    generation,
    group: generation === 2 ? readGroup(headers) : undefined,
  };
}

function readGroup(headers: Headers): GroupHello | undefined {
  if (!readBool(headers.get(GROUP_HEADER.isGrouped))) return undefined;
  const id = headers.get(HEADER.connectionId);
  const secret = headers.get(GROUP_HEADER.secret);
  return {
    type: readUnderlayType(readText(headers.get(GROUP_HEADER.type))),
    isFirst: readBool(headers.get(GROUP_HEADER.isFirst)),
    ...(id && id.length > 0 ? { id: readText(id) } : {}),
    ...(secret && secret.length > 0 ? { secret } : {}),
  };
}

function readUnderlayType(text: string): UnderlayType {
  const type = UNDERLAY_TYPES.find((known) => known === text);
  if (!type) throw new HelloRefusal('the type of the connection is unknown');
  return type;
}

/** @throws HelloRefusal for a router that serves no controller without a capability */
export function requireCapabilities(
  { generation }: Pick<Hello, 'generation'>,
  capabilities: readonly RouterCapability[],
): void {
  if (generation === 1 || capabilities.includes('jwt-sessions')) return;
  throw new HelloRefusal('this controller serves routers of the versions 1.6, not 2');
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
  readonly capabilities: readonly RouterCapability[];
  readonly generation: RouterGeneration;
  /** The group of the connection, and its type there. */
  readonly group?: (ChannelGroup & { readonly type: UnderlayType }) | undefined;
}

/** Accepts a hello. */
export function acceptHello(answer: HelloAnswer): Buffer {
  const { controllerId, connectionId, version, capabilities, generation, group } = answer;
  const { version: number, revision, buildDate, os, arch } = version;
  return result(true, '', [
    [HEADER.version, textValue([number, revision, buildDate, os, arch].join('|'))],
    [HEADER.controllerId, textValue(controllerId)],
    [HEADER.connectionId, textValue(group?.id ?? connectionId)],
    [HELLO_HEADER[generation].capabilities, capabilityMask(capabilities, generation)],
    ...(group ? groupHeaders(group) : []),
  ]);
}

const groupHeaders = ({
  type,
  secret,
}: Pick<GroupHello, 'type'> & ChannelGroup): [number, Buffer][] => [
  [GROUP_HEADER.type, textValue(type)],
  [GROUP_HEADER.isGrouped, boolValue(true)],
  [GROUP_HEADER.secret, secret],
];

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
