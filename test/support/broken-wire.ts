import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A wire to a server that can be cut: what is under way and what is new hangs, as behind a dead switch. */
export class BrokenWire {
  #isCut = false;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly far: string | number,
  ) {
    server.on('connection', (near) => {
      this.join(near);
    });
  }

  /** To a unix socket, or to a port of this machine. */
  static async to(far: string | number): Promise<BrokenWire> {
    const server = createServer({ pauseOnConnect: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BrokenWire(server, far);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Nothing passes, and nobody is told. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** New connections pass; those of before are dead. */
  mend(): void {
    this.#isCut = false;
    this.closeAll();
  }

  /** Ends the connections of before; new ones still hang while it is cut. */
  closeAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.server, 'close');
  }

  private join(near: Socket): void {
    this.watch(near);
    if (this.#isCut) return;
    const far = typeof this.far === 'number' ? connect(this.far) : connect(this.far);
    this.watch(far);
    near.pipe(far);
    far.pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }

  private watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
