import type { TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { presentedChain, verifyClientChain } from '../../trust/auth/index.js';
import { ApiError } from '../../base/errors.js';
import type { KeyMaterial } from '../../trust/pki/index.js';
import type { RouterVersion } from '../../data/rows/router/index.js';
import type { RouterPresence } from '../presence/index.js';
import { followsDataModel, type RouterCapability } from './capabilities.js';
import { beginGroup, type ChannelGroup, type GroupHello } from './channel-group.js';
import { endsOf, type ConnectionEnds } from './connection-ends.js';
import { HEADER } from './content-types.js';
import { firstFrame } from './first-frame.js';
import { FrameError, FrameReader, HELLO_LIMITS, UNKNOWN_VERSION, type Frame } from './frame.js';
import type { RouterControl } from './router-control.js';
import {
  acceptHello,
  HelloRefusal,
  readHello,
  refuseHello,
  requireCapabilities,
  type Hello,
} from './router-hello.js';
import { newWriteTurns, Underlay } from './underlay.js';

export interface ControlDoorOptions {
  readonly presence: Pick<RouterPresence, 'connect'>;
  readonly routers: RouterControl;
  readonly keys: () => Pick<KeyMaterial, 'authorities' | 'endedSigners' | 'firstRoot'>;
  readonly version: RouterVersion;
  readonly capabilities: readonly RouterCapability[];
  /** Whether this controller is the one that serves routers. */
  readonly isOwner: () => boolean;
  readonly now: () => Date;
  readonly log: Logger;
}

/** A connection that was refused is closed after so long, even if its peer does not read. */
const CLOSE_MILLIS = 1_000;

/** A connection whose router has said hello and proved its certificate. */
interface Caller {
  readonly hello: Hello;
  readonly fingerprint: string;
  readonly socket: TLSSocket;
  readonly ends: ConnectionEnds;
  readonly underlay: Underlay;
}

/** A connection whose hello has come. */
interface Connection {
  readonly socket: TLSSocket;
  readonly ends: ConnectionEnds;
  readonly reader: FrameReader;
}

/** Lets routers in: each connection begins with a hello, and its certificate proves who it is. */
export class ControlDoor {
  readonly #writeTurns = newWriteTurns();

  constructor(private readonly options: ControlDoorOptions) {}

  /** Serves a connection after its handshake. Connections that no router made end alone. */
  async receive(socket: TLSSocket, ends: ConnectionEnds = endsOf(socket)): Promise<void> {
    socket.on('error', () => undefined);
    const reader = new FrameReader(HELLO_LIMITS);
    try {
      const hello = await firstFrame(socket, reader);
      // A router that is refused waits for up to a minute, one whose connection ends does not.
      if (hello && this.options.isOwner()) await this.welcome({ socket, ends, reader }, hello);
      else socket.destroy();
    } catch (error) {
      socket.end(this.refusal(error, ends.router.host ?? ''));
      setTimeout(() => socket.destroy(), CLOSE_MILLIS).unref();
    }
  }

  private async welcome({ socket, ends, reader }: Connection, frame: Frame): Promise<void> {
    const hello = readHello(frame);
    requireCapabilities(hello, this.options.capabilities);
    const fingerprint = this.provedFingerprint(socket);
    const underlay = new Underlay(socket, reader, this.#writeTurns);
    const caller: Caller = { hello, fingerprint, socket, ends, underlay };
    const { group } = hello;
    if (group && (await this.join(caller, group))) return;
    // Its group is not here: the router begins anew when it has lost all connections.
    if (group && !group.isFirst) socket.destroy();
    else await this.admit(caller, !frame.headers.has(HEADER.connectionId));
  }

  /** Adds the connection to the channel of its group; false for a group that is not here. */
  private async join(
    { hello, fingerprint, socket, underlay }: Caller,
    group: GroupHello,
  ): Promise<boolean> {
    const { routers, log } = this.options;
    const router = await routers.routerOfGroup(hello.routerId, fingerprint, group);
    if (!router?.group) return false;
    socket.write(this.acceptance(hello, router.connection.id, router.group));
    router.channel.join(group.type, underlay);
    log.info({ router: router.id, type: group.type }, 'a router has another connection');
    return true;
  }

  private async admit(
    { hello, fingerprint, socket, ends, underlay }: Caller,
    isNew: boolean,
  ): Promise<void> {
    const { presence, routers, capabilities, log } = this.options;
    const { routerId, versionInfo, linkListeners } = hello;
    const connection = await presence.connect({
      routerId,
      versionInfo,
      linkListeners,
      fingerprint,
      syncStatus: 'SYNC_HELLO',
    });
    // A later hello of the router has replaced it meanwhile, or the router may not connect any more.
    if (!connection.isOpen) {
      socket.destroy();
      return;
    }
    const group = hello.group && beginGroup(hello.group, connection.id);
    socket.write(this.acceptance(hello, connection.id, group));
    log.info({ router: routerId, address: ends.router.host }, 'a router is connected');
    await routers.add({
      ...{ connection, isNew, ends, underlay, group, type: hello.group?.type },
      followsDataModel: followsDataModel(capabilities, hello.generation),
      judgesPosture: hello.generation === 2,
    });
  }

  private acceptance(
    { generation, group: asked }: Hello,
    connectionId: string,
    group: ChannelGroup | undefined,
  ): Buffer {
    const { keys, version, capabilities } = this.options;
    return acceptHello({
      // All controllers of a network have the same id, so that a router continues at another one, also while
      // they exchange the root one after the other.
      controllerId: keys().firstRoot,
      connectionId,
      version,
      capabilities,
      generation,
      group: asked && group && { ...group, type: asked.type },
    });
  }

  private provedFingerprint(socket: TLSSocket): string {
    const client = verifyClientChain({
      presented: presentedChain(socket),
      own: this.options.keys(),
      thirdParty: [],
      now: this.options.now(),
    });
    if (!client.verified) throw new HelloRefusal(client.reason);
    if (!client.isCurrent) throw new HelloRefusal('the certificate is not valid now');
    return client.fingerprint;
  }

  /** Gives the answer to a connection that is refused. */
  private refusal(error: unknown, address: string): Buffer {
    const { log } = this.options;
    if (error instanceof FrameError) return UNKNOWN_VERSION;
    const reason = reasonOf(error);
    if (reason === undefined) log.error({ err: error, address }, 'a router could not be connected');
    else log.info({ address, reason }, 'a connection of a router was refused');
    return refuseHello(reason ?? 'the controller can not serve routers now');
  }
}

/** Gives the reason of a refusal; undefined for an unexpected fault, which stays inside. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof HelloRefusal) return error.message;
  const isUnauthorized = error instanceof ApiError && error.code === 'UNAUTHORIZED';
  return isUnauthorized
    ? 'the router is not enrolled with this certificate, or is disabled'
    : undefined;
}
