import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { NetworkEnd } from '../../../src/network/control/index.js';
import { HeldConnections } from '../../../src/programs/controller/held-connections.js';
import {
  CHALLENGE_BYTES,
  PASSAGE_HEAD,
  proofOf,
} from '../../../src/programs/controller/passage-proof.js';
import { PassedConnections } from '../../../src/programs/controller/passed-connections.js';
import { readBytes } from '../../../src/programs/controller/read-bytes.js';
import { BUFFER_BYTES, SharedPort } from '../../../src/programs/controller/shared-port.js';
import { eventually } from '../../support/eventually.js';

/** Connections of routers on their way to the controller that serves them, before any handshake. */

const KEY = Buffer.alloc(32, 7);

/** The ways in of a controller; what it serves comes back with its name before it. */
class Entrance {
  isOwner = false;
  ownerAddress: string | undefined;
  readonly served: { readonly socket: Socket; readonly router: NetworkEnd | undefined }[] = [];
  readonly others: Socket[] = [];
  /** Connections that count for their senders. */
  counted = 0;
  readonly held: HeldConnections;
  readonly passed: PassedConnections;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(
    private readonly name: string,
    secretKey = KEY,
  ) {
    const options = {
      isOwner: () => this.isOwner,
      ownerAddress: () => this.ownerAddress,
      serve: (socket: Socket) => {
        this.serve(socket);
      },
      secretKey: () => secretKey,
      log: pino({ level: 'silent' }),
    };
    this.held = new HeldConnections(options);
    this.passed = new PassedConnections(options);
    const port = new SharedPort({
      routers: this.held.receive,
      passages: this.passed.receive,
      others: (socket) => this.others.push(socket),
    });
    this.#server = createServer({ pauseOnConnect: true, highWaterMark: BUFFER_BYTES }, (socket) => {
      socket.on('error', () => undefined);
      this.#sockets.add(socket);
      this.counted += 1;
      port.receive(socket, () => (this.counted -= 1));
    });
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get address(): string {
    return `127.0.0.1:${String(this.port)}`;
  }

  async stop(): Promise<void> {
    this.held.stop();
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  private serve(socket: Socket): void {
    this.served.push({ socket, router: this.passed.routerOf(socket) });
    socket.on('data', (piece: Buffer) => {
      socket.write(`${this.name}:${piece.toString('latin1')}`);
    });
    socket.resume();
  }
}

/** The start of a handshake with the protocol of routers, and what its client sends later. */
function routerStart(): Buffer {
  const name = Buffer.from('ziti-ctrl');
  const sized = (bytes: Buffer, lengthBytes: number): Buffer => {
    const length = Buffer.alloc(lengthBytes);
    length.writeUIntBE(bytes.length, 0, lengthBytes);
    return Buffer.concat([length, bytes]);
  };
  const alpn = Buffer.concat([Buffer.from([0, 16]), sized(sized(sized(name, 1), 2), 2)]);
  const hello = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32),
    ...[sized(Buffer.alloc(0), 1), sized(Buffer.from([19, 1]), 2), sized(Buffer.from([0]), 1)],
    sized(alpn, 2),
  ]);
  const message = Buffer.concat([Buffer.from([1]), sized(hello, 3)]);
  return Buffer.concat([Buffer.from([22, 3, 1]), sized(message, 2)]);
}

class Client {
  text = '';
  readonly socket: Socket;
  readonly closed: Promise<unknown>;

  constructor(port: number, start: Buffer = routerStart()) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.on('data', (piece: Buffer) => (this.text += piece.toString('latin1')));
    this.socket.write(start);
  }

  async says(text: string): Promise<void> {
    await eventually(() => {
      expect(this.text).toContain(text);
    });
  }
}

let first: Entrance;
let second: Entrance;
beforeEach(async () => {
  [first, second] = [new Entrance('first'), new Entrance('second')];
  await first.listen();
  await second.listen();
});
afterEach(async () => {
  await first.stop();
  await second.stop();
});

describe('the connection of a router', () => {
  test('is served where the routers are served, with all of its bytes', async () => {
    first.isOwner = true;
    second.ownerAddress = first.address;
    const router = new Client(second.port);
    await router.says(`first:${routerStart().toString('latin1')}`);
    router.socket.write('later');
    await router.says('first:later');
    expect(second.served).toEqual([]);
    expect(first.served.map((one) => one.router)).toEqual([
      { host: '127.0.0.1', port: router.socket.localPort },
    ]);
    router.socket.destroy();
    await eventually(() => {
      expect(first.served[0]?.socket.destroyed).toBe(true);
      expect([first.counted, second.counted]).toEqual([0, 0]);
    });
  });

  test('counts for its router where it came in, and not for the controller that passes it on', async () => {
    first.isOwner = true;
    second.ownerAddress = first.address;
    const routers = Array.from({ length: 40 }, () => new Client(second.port));
    for (const router of routers) await router.says('first:');
    await eventually(() => {
      expect([first.counted, second.counted]).toEqual([0, 40]);
    });
    for (const { socket } of routers) socket.destroy();
  });

  test('ends with its passage, after what was sent', async () => {
    first.isOwner = true;
    second.ownerAddress = first.address;
    const router = new Client(second.port);
    await router.says('first:');
    first.served[0]?.socket.end('farewell');
    await router.closed;
    expect(router.text).toContain('farewell');
  });

  test('waits until its controller serves routers', async () => {
    const router = new Client(second.port);
    await eventually(() => {
      expect(second.counted).toBe(1);
    });
    second.held.move();
    second.isOwner = true;
    await eventually(() => {
      second.held.move();
      expect(second.served).toHaveLength(1);
    });
    await router.says('second:');
    expect(second.served[0]?.router).toBeUndefined();
    router.socket.destroy();
  });

  test('waits while nobody serves routers at the address, and follows the lease', async () => {
    second.ownerAddress = first.address;
    const router = new Client(second.port);
    await eventually(() => {
      second.held.move();
      // The other one has refused a passage.
      expect(first.counted).toBe(0);
      expect(second.counted).toBe(1);
    });
    expect(router.text).toBe('');
    const third = new Entrance('third');
    await third.listen();
    third.isOwner = true;
    second.ownerAddress = third.address;
    await eventually(() => {
      second.held.move();
      expect(third.served).toHaveLength(1);
    });
    await router.says('third:');
    router.socket.destroy();
    await third.stop();
  });

  test('is passed on once: controllers that name each other do not send it in circles', async () => {
    first.ownerAddress = second.address;
    second.ownerAddress = first.address;
    const router = new Client(second.port);
    for (let i = 0; i < 20; i += 1) {
      first.held.move();
      second.held.move();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(first.counted).toBeLessThanOrEqual(1);
    expect(router.text).toBe('');
    first.isOwner = true;
    await eventually(() => {
      second.held.move();
      expect(first.served).toHaveLength(1);
    });
    router.socket.destroy();
  });

  test('is not passed on from a controller to itself for ever', async () => {
    second.ownerAddress = second.address;
    const router = new Client(second.port);
    await eventually(() => {
      second.held.move();
      expect(second.counted).toBe(1);
    });
    router.socket.destroy();
    second.held.stop();
    await router.closed;
  });

  describe('that is passed on to a controller which hangs', () => {
    let router: Client;

    beforeEach(async () => {
      first.isOwner = true;
      second.ownerAddress = first.address;
      router = new Client(second.port);
      await router.says('first:');
    });

    test('stays while the lease does not change, or is free', async () => {
      second.held.move();
      second.ownerAddress = undefined;
      second.held.move();
      second.ownerAddress = first.address;
      second.held.move();
      router.socket.write('later');
      await router.says('first:later');
      router.socket.destroy();
    });

    test('is closed when a third controller serves routers', async () => {
      second.ownerAddress = '127.0.0.1:1';
      second.held.move();
      await router.closed;
      await eventually(() => {
        expect([second.counted, first.served[0]?.socket.destroyed]).toEqual([0, true]);
      });
    });

    test('is closed when its own controller serves routers', async () => {
      second.ownerAddress = undefined;
      second.isOwner = true;
      second.held.move();
      await router.closed;
      const again = new Client(second.port);
      await again.says('second:');
      again.socket.destroy();
    });
  });

  test('is closed at the stop of its controller', async () => {
    first.isOwner = true;
    second.ownerAddress = first.address;
    const passed = new Client(second.port);
    await passed.says('first:');
    second.ownerAddress = undefined;
    const held = new Client(second.port);
    await eventually(() => {
      expect(second.counted).toBe(2);
    });
    second.held.stop();
    await Promise.all([passed.closed, held.closed]);
    expect(held.text).toBe('');
  });
});

describe('a stranger who says that it passes a connection on', () => {
  beforeEach(() => {
    first.isOwner = true;
  });

  async function answer(stranger: Socket, key: Buffer, router: NetworkEnd): Promise<void> {
    stranger.pause();
    stranger.write(PASSAGE_HEAD);
    const challenge = await readBytes(stranger, CHALLENGE_BYTES);
    stranger.write(proofOf(key, challenge, router));
  }

  function open(): { readonly stranger: Socket; readonly closed: Promise<unknown> } {
    const stranger = connect(first.port, '127.0.0.1');
    stranger.on('error', () => undefined);
    return { stranger, closed: new Promise((resolve) => stranger.once('close', resolve)) };
  }

  test('is not served with another key', async () => {
    const { stranger, closed } = open();
    await answer(stranger, Buffer.alloc(32, 8), { host: '10.0.0.1', port: 1 });
    stranger.resume();
    await closed;
    expect([first.served, first.others]).toEqual([[], []]);
    await eventually(() => {
      expect(first.counted).toBe(0);
    });
  });

  test('is not served with the proof of another connection', async () => {
    const { stranger: honest } = open();
    honest.pause();
    honest.write(PASSAGE_HEAD);
    const proof = proofOf(KEY, await readBytes(honest, CHALLENGE_BYTES), { host: 'a', port: 1 });
    const { stranger, closed } = open();
    stranger.pause();
    stranger.write(PASSAGE_HEAD);
    await readBytes(stranger, CHALLENGE_BYTES);
    stranger.write(proof);
    stranger.resume();
    await closed;
    expect(first.served).toEqual([]);
    honest.destroy();
  });

  test('counts as what it is until it has proved something, and is closed in time', async () => {
    const { stranger, closed } = open();
    stranger.write(PASSAGE_HEAD);
    await eventually(() => {
      expect(first.counted).toBe(1);
    });
    stranger.resume();
    await closed;
    expect(first.served).toEqual([]);
  });

  test('gets nothing by a part of the head with something else behind it', async () => {
    const start = Buffer.concat([PASSAGE_HEAD.subarray(0, 8), Buffer.from('nothing of the kind')]);
    const client = new Client(first.port, start);
    await eventually(() => {
      expect(first.others).toHaveLength(1);
    });
    client.socket.destroy();
  });
});
