import type { RouterConnection } from '../presence/index.js';
import type { ChannelGroup } from './channel-group.js';
import type { Codec, Encodable } from '../messages/index.js';
import type { ControlChannel } from './control-channel.js';
import type { Frame, Headers } from './frame.js';

/** A router that is connected to this controller. */
export class ConnectedRouter {
  readonly id: string;

  constructor(
    readonly connection: RouterConnection,
    readonly channel: ControlChannel,
    /** Undefined for a router with one connection. */
    readonly group: ChannelGroup | undefined,
    readonly followsDataModel: boolean,
    /** It judges the posture of clients over OpenID Connect, which tell it of that. */
    readonly judgesPosture: boolean,
  ) {
    this.id = connection.routerId;
  }

  /** Sends a message. */
  tell<T>(type: number, codec: Codec<T>, message: Encodable<T>, headers?: Headers): void {
    this.channel.send(type, codec.encode(message), headers);
  }

  /** Sends a message and gives the answer to it; undefined when none comes in time. */
  ask<T>(
    type: number,
    codec: Codec<T>,
    message: Encodable<T>,
    millis: number,
  ): Promise<Frame | undefined> {
    return this.channel.request(type, codec.encode(message), { millis });
  }
}
