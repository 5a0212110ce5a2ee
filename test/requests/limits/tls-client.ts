import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { eventually } from '../../support/eventually.js';

/** A TLS connection that sends what it likes, when it likes. */
export class TlsClient {
  received = '';
  isClosed = false;

  private constructor(readonly socket: TLSSocket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  static async connect(port: number, localAddress = '127.0.0.1'): Promise<TlsClient> {
    const plain = connectPlain({ host: '127.0.0.1', port, localAddress });
    const socket = connect({ socket: plain, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    return new TlsClient(socket);
  }

  send(text: string): void {
    this.socket.write(text);
  }

  /** The head of a request, as lines. */
  head(...lines: readonly string[]): void {
    this.send([...lines, 'host: localhost', '', ''].join('\r\n'));
  }

  /** The statuses of all answers so far. */
  get statuses(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  async answers(count: number, withinMs?: number): Promise<number[]> {
    const { value } = await eventually(() => {
      if (this.statuses.length < count) throw new Error(`only: ${this.received}`);
      return this.statuses;
    }, withinMs);
    return value;
  }

  async closed(withinMs?: number): Promise<void> {
    await eventually(() => {
      if (!this.isClosed) throw new Error('the connection is still open');
    }, withinMs);
  }

  end(): void {
    this.socket.destroy();
  }
}
