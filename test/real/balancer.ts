import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** One address of several controllers, for routers: leads to the first that answers. */
export class Balancer {
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly targets: readonly number[],
  ) {
    server.on('connection', (socket) => {
      this.follow(socket);
      void this.lead(socket);
    });
  }

  static async open(targets: readonly number[]): Promise<Balancer> {
    const server = createServer({ pauseOnConnect: true });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new Balancer(server, targets);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  private async lead(from: Socket): Promise<void> {
    for (const port of this.targets) {
      const to = connect(port, '127.0.0.1');
      this.follow(to);
      try {
        await once(to, 'connect');
      } catch {
        continue;
      }
      from.once('close', () => to.destroy());
      to.once('close', () => from.destroy());
      from.pipe(to).pipe(from);
      return;
    }
    from.destroy();
  }

  private follow(socket: Socket): void {
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    this.#sockets.add(socket);
  }
}
