import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import pg from 'pg';

/*
 * What a transaction pooler such as PgBouncer does, as far as clients can tell: it refuses settings
 * in the startup packet, and gives each transaction another session of the server.
 */

/** What a client may ask for as it connects; anything else is refused. */
const KNOWN_PARAMETERS = new Set(['user', 'database', 'client_encoding', 'application_name']);

const BACKENDS = 4;

interface Frame {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Cuts a stream into messages of the protocol. */
class Frames {
  #rest = Buffer.alloc(0);

  *take(chunk: Buffer): Generator<Frame> {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 5) {
      const size = 1 + this.#rest.readInt32BE(1);
      if (this.#rest.length < size) return;
      const bytes = this.#rest.subarray(0, size);
      this.#rest = this.#rest.subarray(size);
      yield { type: String.fromCharCode(bytes[0] ?? 0), bytes };
    }
  }
}

/** One session of the server, lent to one transaction after the other. */
class Backend {
  onFrame: (frame: Frame) => void = () => undefined;
  readonly #frames = new Frames();

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      for (const frame of this.#frames.take(chunk)) this.onFrame(frame);
    });
  }

  /** In a time zone that nobody expects, as those of others may be. */
  static async open(url: string): Promise<Backend> {
    const client = new pg.Client({ connectionString: url, options: '-c timezone=Asia/Tokyo' });
    client.on('error', () => undefined);
    await client.connect();
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners('data');
    return new Backend(stream);
  }
}

export class TransactionPooler {
  /** Transactions that were passed on. */
  transactions = 0;
  readonly #idle: Backend[] = [];
  readonly #waiting: ((backend: Backend) => void)[] = [];
  readonly #sockets = new Set<Socket>();
  #opened = 0;

  private constructor(
    private readonly databaseUrl: string,
    private readonly server: Server,
  ) {
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', (first: Buffer) => {
        this.welcome(socket, first);
      });
    });
  }

  static async listen(databaseUrl: string): Promise<TransactionPooler> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TransactionPooler(databaseUrl, server);
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `postgresql://anybody@127.0.0.1:${String(port)}/any?sslmode=disable`;
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const { socket } of this.#idle) socket.destroy();
    await once(this.server, 'close');
  }

  private welcome(socket: Socket, first: Buffer): void {
    const texts = first.subarray(8).toString().split('\0');
    const asked = texts.filter((text, i) => i % 2 === 0 && text !== '');
    const unknown = asked.find((name) => !KNOWN_PARAMETERS.has(name));
    if (unknown !== undefined) {
      socket.end(refusal(`unsupported startup parameter: ${unknown}`));
      return;
    }
    socket.write(message('R', Buffer.from([0, 0, 0, 0])));
    socket.write(message('Z', Buffer.from('I')));
    this.serve(socket);
  }

  private serve(socket: Socket): void {
    const frames = new Frames();
    let backend: Backend | undefined;
    /** Answers that are still to come. */
    let pending = 0;
    let turn = Promise.resolve();
    const pass = async ({ type, bytes }: Frame): Promise<void> => {
      if (type === 'X') return;
      if (!backend) {
        backend = await this.borrow();
        backend.onFrame = answer;
      }
      if (type === 'Q' || type === 'S') pending += 1;
      backend.socket.write(bytes);
    };
    const answer = ({ type, bytes }: Frame): void => {
      socket.write(bytes);
      if (type !== 'Z') return;
      pending -= 1;
      const isOver = bytes.toString('latin1', 5) === 'I';
      if (!isOver || pending > 0 || !backend) return;
      this.giveBack(backend);
      backend = undefined;
    };
    socket.on('data', (chunk: Buffer) => {
      for (const frame of frames.take(chunk)) turn = turn.then(() => pass(frame));
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      void turn.then(() => {
        if (!backend) return;
        // Left in the midst of a transaction.
        backend.socket.destroy();
        this.#opened -= 1;
      });
    });
  }

  private async borrow(): Promise<Backend> {
    this.transactions += 1;
    if (this.#opened < BACKENDS) {
      this.#opened += 1;
      return Backend.open(this.databaseUrl);
    }
    // The one that was idle longest: seldom that of the transaction before.
    return this.#idle.shift() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  private giveBack(backend: Backend): void {
    backend.onFrame = () => undefined;
    const next = this.#waiting.shift();
    if (next) next(backend);
    else this.#idle.push(backend);
  }
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

const refusal = (text: string): Buffer =>
  message('E', Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`));
