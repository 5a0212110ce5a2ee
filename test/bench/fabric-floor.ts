import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { CONTENT, HEADER } from '../../src/network/control/content-types.js';
import type { Codec, Encodable } from '../../src/network/messages/codec.js';
import { messages } from '../../src/network/messages/emitted/messages.js';
import {
  encodeFrame,
  FRAME_LIMITS,
  FrameReader,
  type Frame,
  type Headers,
} from '../../src/network/control/frame.js';
import {
  boolValue,
  bytesByNumber,
  readText,
  readUint32,
  textsByText,
  textValue,
  uint32Value,
} from '../../src/network/control/header-values.js';
import { acceptHello } from '../../src/network/control/router-hello.js';
import type { Circuit } from '../../src/network/fabric/circuit.js';
import { routesOf } from '../../src/network/fabric/routes.js';
import { newId } from '../../src/base/ids.js';
import { FloorTables } from './fabric-floor-tables.js';

/*
 * The floor of circuits and terminators: the same frames over TLS and the statements that they need,
 * without checks of access, costs, events, and all else that a controller does.
 * Arguments: database URL, port, folder of the controller's keys.
 */

const [databaseUrl = '', port = '', keys = ''] = process.argv.slice(2);
const tables = await FloorTables.open(databaseUrl);

const HEADER_OF_CIRCUIT = {
  peerData: 10,
  sessionToken: 11,
  id: 11,
  address: 12,
  tags: 13,
} as const;
const NO_SEQUENCE = -1;

/** A router that is connected. */
class FloorRouter {
  #sequence = 0;
  readonly #waiting = new Map<number, () => void>();

  constructor(
    readonly id: string,
    private readonly socket: TLSSocket,
  ) {}

  send(type: number, body: Buffer, headers: Headers): number {
    this.#sequence += 1;
    this.socket.write(encodeFrame({ type, sequence: this.#sequence, headers, body }));
    return this.#sequence;
  }

  tell<T>(type: number, codec: Codec<T>, message: Encodable<T>): number {
    return this.send(type, codec.encode(message), new Map());
  }

  ask<T>(type: number, codec: Codec<T>, message: Encodable<T>): Promise<void> {
    const sequence = this.tell(type, codec, message);
    return new Promise((resolve) => this.#waiting.set(sequence, resolve));
  }

  answer(to: Frame, type: number, body: Buffer, headers: Headers = new Map()): void {
    this.send(type, body, new Map([[HEADER.replyFor, uint32Value(to.sequence)], ...headers]));
  }

  answered({ headers }: Frame): void {
    const sequence = readUint32(headers.get(HEADER.replyFor)) ?? 0;
    this.#waiting.get(sequence)?.();
    this.#waiting.delete(sequence);
  }
}

const routers = new Map<string, FloorRouter>();
const circuits = new Map<string, Circuit>();

function welcome(socket: TLSSocket, hello: Frame): FloorRouter {
  const router = new FloorRouter(readText(hello.body), socket);
  routers.set(router.id, router);
  const version = { version: 'v0', revision: '', buildDate: '', os: '', arch: '' };
  const said = { controllerId: 'floor', connectionId: newId(), version, capabilities: [] };
  socket.write(acceptHello({ ...said, generation: 1 }));
  return router;
}

async function work(router: FloorRouter, frame: Frame): Promise<void> {
  switch (frame.type) {
    case CONTENT.ping:
      succeed(router, frame);
      break;
    case CONTENT.routeResult:
      router.answered(frame);
      break;
    case CONTENT.createCircuit:
      await dial(router, frame);
      break;
    case CONTENT.fault:
      endCircuit(messages.Fault.decode(frame.body).id);
      break;
    case CONTENT.createTerminator:
      await createTerminator(router, frame);
      break;
    case CONTENT.removeTerminators:
      await tables.removeTerminators(
        router.id,
        messages.RemoveTerminatorsRequest.decode(frame.body).terminatorIds,
      );
      succeed(router, frame);
      break;
  }
}

const SUCCESS: Headers = new Map([[HEADER.success, boolValue(true)]]);

const succeed = (router: FloorRouter, frame: Frame): void => {
  router.answer(frame, CONTENT.result, Buffer.alloc(0), SUCCESS);
};

async function dial(router: FloorRouter, frame: Frame): Promise<void> {
  const facts = await tables.dial(readText(frame.headers.get(HEADER_OF_CIRCUIT.sessionToken)));
  const { destination, ...ids } = facts;
  const routerIds = pathBetween(router.id, facts.routerId);
  const linkIds = routerIds.slice(1).map((_, i) => `link-${String(i)}-${String(i + 1)}`);
  const circuit: Circuit = {
    ...ids,
    id: newId(),
    instanceId: '',
    routerIds,
    linkIds,
    ingress: newId(),
    egress: newId(),
    createdAt: new Date(),
  };
  const orders = routesOf(circuit, { attempt: 0, host: { destination, peerData: new Map() } });
  await Promise.all(
    [...orders].map(async ([id, { egress, forwards, ...order }]) => {
      const message = { ...order, egress, forwards: [...forwards] };
      await routers.get(id)?.ask(CONTENT.route, messages.Route, message);
    }),
  );
  circuits.set(circuit.id, circuit);
  tables.put(circuit);
  const tags = orders.get(router.id)?.tags ?? {};
  const headers = new Map([
    [HEADER_OF_CIRCUIT.peerData, bytesByNumber(new Map())],
    [HEADER_OF_CIRCUIT.id, textValue(circuit.id)],
    [HEADER_OF_CIRCUIT.address, textValue(circuit.ingress)],
    [HEADER_OF_CIRCUIT.tags, textsByText(tags)],
  ]);
  router.answer(frame, CONTENT.createCircuitResult, Buffer.alloc(0), headers);
}

/** From one router to another over all others, as the controller's only path is. */
const pathBetween = (from: string, to: string): string[] =>
  from === to
    ? [from]
    : [from, ...[...routers.keys()].filter((id) => id !== from && id !== to), to];

function endCircuit(id: string): void {
  const circuit = circuits.get(id);
  if (!circuit) return;
  circuits.delete(id);
  tables.remove(circuit);
  for (const routerId of circuit.routerIds) {
    routers.get(routerId)?.tell(CONTENT.unroute, messages.Unroute, { circuitId: id });
  }
}

async function createTerminator(router: FloorRouter, frame: Frame): Promise<void> {
  const request = messages.CreateTerminatorV2Request.decode(frame.body);
  await tables.createTerminator(router.id, request);
  const answer = { terminatorId: request.address, result: 'Success' } as const;
  const body = messages.CreateTerminatorV2Response.encode(answer);
  router.answer(frame, CONTENT.createTerminatorResult, body);
}

function serve(socket: TLSSocket): void {
  const reader = new FrameReader(FRAME_LIMITS);
  let router: FloorRouter | undefined;
  socket.on('error', () => undefined);
  socket.on('data', (piece: Buffer) => {
    reader.push(piece);
    for (let frame = reader.next(); frame; frame = reader.next()) {
      if (frame.sequence === NO_SEQUENCE) router = welcome(socket, frame);
      else if (router) void work(router, frame);
    }
  });
}

const server = createServer(
  {
    cert: await readFile(join(keys, 'server.pem')),
    key: await readFile(join(keys, 'server.key')),
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['ziti-ctrl'],
    noDelay: true,
  },
  serve,
);
server.listen(Number(port), '127.0.0.1', () => {
  console.log('ready');
});
process.on('SIGTERM', () => {
  process.exit();
});
