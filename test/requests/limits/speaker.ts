import { once } from 'node:events';
import { expect } from '@jest/globals';
import { WebSocket } from 'ws';
import type { TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';

export const SUBSCRIPTION = 'subscription { changes(types: ["Service"]) { id } }';

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: readonly { readonly extensions: Record<string, unknown> }[];
}

/** A WebSocket that says what it likes. */
export class Speaker {
  readonly received: Message[] = [];
  closeCode: number | undefined;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.received.push(JSON.parse(data.toString()) as Message);
    });
    socket.on('close', (code) => {
      this.closeCode = code;
    });
    socket.on('error', () => undefined);
  }

  static async open(controller: TestController, localAddress = '127.0.0.1'): Promise<Speaker> {
    const url = `wss://127.0.0.1:${String(controller.port)}/graphql`;
    const socket = new WebSocket(url, 'graphql-transport-ws', {
      rejectUnauthorized: false,
      localAddress,
    });
    await once(socket, 'open');
    return new Speaker(socket);
  }

  static async connect(
    controller: TestController,
    localAddress?: string,
    token = controller.token,
  ): Promise<Speaker> {
    const speaker = await Speaker.open(controller, localAddress);
    speaker.say({ type: 'connection_init', payload: { 'zt-session': token } });
    await eventually(() => {
      expect(speaker.received).toMatchObject([{ type: 'connection_ack' }]);
    });
    return speaker;
  }

  say(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  subscribe(id: string, query = SUBSCRIPTION): void {
    this.say({ id, type: 'subscribe', payload: { query } });
  }

  /** Codes of the subscriptions that were refused. */
  get refusals(): unknown[] {
    return this.received.flatMap(({ type, payload }) =>
      type === 'error' ? payload?.[0]?.extensions.code : [],
    );
  }

  async closed(): Promise<number> {
    const { value } = await eventually(() => {
      if (this.closeCode === undefined) throw new Error('the socket is still open');
      return this.closeCode;
    });
    return value;
  }

  end(): void {
    this.socket.terminate();
  }
}
