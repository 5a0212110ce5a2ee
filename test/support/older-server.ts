import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import pg from 'pg';

/** A PostgreSQL that says of itself that it is 15.18: the real one, with that number in its answers. */
export class OlderServer {
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async before(url: string): Promise<OlderServer> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    await client.end();
    const real = Buffer.from(rows[0]?.server_version_num ?? '');
    const { host, port, user = '', password, database = '' } = client;
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const near = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const secret = password ? `:${encodeURIComponent(password)}` : '';
    const older = new OlderServer(
      server,
      `postgresql://${encodeURIComponent(user)}${secret}@${near}/${database}`,
    );
    server.on('connection', (socket) => {
      const to = host.startsWith('/')
        ? connect(`${host}/.s.PGSQL.${String(port)}`)
        : connect(port, host);
      older.join(socket, to, real);
    });
    return older;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(from: Socket, to: Socket, real: Buffer): void {
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
    from.pipe(to);
    to.on('data', (bytes: Buffer) => {
      const at = bytes.indexOf(real);
      if (at >= 0) bytes.write('150018', at);
      from.write(bytes);
    });
  }
}
