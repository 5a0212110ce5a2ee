import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import { readText } from '../../../src/network/control/header-values.js';
import { newAuthority, newLeaf } from '../../trust/auth/certificates.js';
import { startController, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';
import {
  connectTls,
  enrollAgain,
  enrollRouter,
  groupIn,
  helloFrame,
  helloOfVersion2,
  isSuccess,
  TestRouter,
  type EnrolledRouter,
  type Group,
  type GroupedHello,
} from '../../support/test-router.js';

/* How routers connect to the port of the controller, and who is refused. */

let controller: TestController & { dataDir: string };
let router: EnrolledRouter;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_WORKERS: '2' } });
  router = await enrollRouter(controller);
});
afterAll(() => controller.stop());

const connect = (enrolled = router): Promise<TestRouter> =>
  TestRouter.connect(controller.port, enrolled);

async function isOnline({ id }: EnrolledRouter): Promise<boolean> {
  const { body } = await controller.rest('GET', `/edge-routers/${id}`);
  return (body.data as { isOnline: boolean }).isOnline;
}

const becomes = (enrolled: EnrolledRouter, online: boolean): Promise<unknown> =>
  eventually(async () => {
    expect(await isOnline(enrolled)).toBe(online);
  });

/** The text with which a hello is refused. */
async function refusal(
  enrolled: Pick<EnrolledRouter, 'id'> & Partial<EnrolledRouter>,
): Promise<string> {
  const refused = TestRouter.open(controller.port, enrolled);
  const answer = await refused.next(CONTENT.result);
  expect(isSuccess(answer)).toBe(false);
  await refused.closed;
  return answer.body.toString();
}

test('a router is online while it is connected, with what it says about itself', async () => {
  const one = await connect();
  await one.introduce();
  await eventually(async () => {
    const { body } = await controller.rest('GET', `/edge-routers/${router.id}`);
    expect(body.data).toMatchObject({
      isOnline: true,
      hostname: 'router.example',
      supportedProtocols: { tls: 'tls://router.example:3022' },
      syncStatus: 'SYNC_DONE',
      versionInfo: {
        version: 'v1.6.20',
        revision: 'abc',
        buildDate: '2026-01-01',
        os: 'linux',
        arch: 'amd64',
      },
    });
  });
  await one.close();
  await becomes(router, false);
});

test('the address of the control channel stands in enrollment tokens', async () => {
  const id = await controller.create('edge-routers', { name: 'invited' });
  const { body } = await controller.rest('GET', `/edge-routers/${id}`);
  const { enrollmentJwt } = body.data as { enrollmentJwt: string };
  const [, claims = ''] = enrollmentJwt.split('.');
  const { ctrls } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { ctrls: string[] };
  expect(ctrls).toEqual([expect.stringMatching(/^tls:localhost:\d+$/)]);
});

test('the answer to a hello names the controller, the connection and what routers may use', async () => {
  const opened = TestRouter.open(controller.port, router);
  const { headers } = await opened.next(CONTENT.result);
  expect(readText(headers.get(HEADER.version)).split('|')).toHaveLength(5);
  expect(readText(headers.get(HEADER.version))).toMatch(/^v2\.0\./);
  const root = new X509Certificate(await readFile(join(controller.dataDir, 'pki', 'root.pem')));
  const firstRoot = createHash('sha1').update(root.raw).digest('hex');
  expect(readText(headers.get(HEADER.controllerId))).toBe(firstRoot);
  expect(readText(headers.get(HEADER.connectionId))).not.toBe('');
  // Terminators with ids of the router, links by their dialer, circuits by headers, the data model.
  expect(headers.get(12)).toEqual(Buffer.from([0b11110]));
  await opened.close();
});

test('the newest connection of a router wins', async () => {
  const earlier = await connect();
  const later = await connect();
  await earlier.closed;
  await becomes(router, true);
  expect(later.isClosed).toBe(false);
  await later.close();
});

test('of two connections of a router that begin at the same moment one wins', async () => {
  const enrolled = await enrollRouter(controller);
  const both = [1, 2].map(() => TestRouter.open(controller.port, enrolled));
  await eventually(() => {
    expect(both.filter(({ isClosed }) => isClosed)).toHaveLength(1);
  });
  await becomes(enrolled, true);
  for (const { socket } of both) socket.destroy();
  await becomes(enrolled, false);
});

describe('refused is', () => {
  test('a router without a certificate', async () => {
    expect(await refusal({ id: router.id })).toContain('certificate');
  });

  test('a certificate of another router', async () => {
    const other = await enrollRouter(controller);
    expect(await refusal({ ...other, id: router.id })).toContain('not enrolled');
  });

  test('a certificate of another authority', async () => {
    const { cert, key } = await newLeaf(router.id, await newAuthority('stranger'));
    expect(await refusal({ ...router, cert, key })).toContain('certificate');
  });

  test('a router that does not exist', async () => {
    expect(await refusal({ ...router, id: 'nobody' })).toContain('not enrolled');
  });

  test('a router that is disabled, until it is enabled', async () => {
    const other = await enrollRouter(controller);
    const live = await connect(other);
    await controller.rest('PATCH', `/edge-routers/${other.id}`, { disabled: true });
    await live.closed;
    expect(await refusal(other)).toContain('disabled');
    await controller.rest('PATCH', `/edge-routers/${other.id}`, { disabled: false });
    await (await connect(other)).close();
  });

  test('the certificate of a deleted router', async () => {
    const other = await enrollRouter(controller);
    const live = await connect(other);
    await controller.rest('DELETE', `/edge-routers/${other.id}`);
    await live.closed;
    expect(await refusal(other)).toContain('not enrolled');
  });

  test('the earlier certificate of a router that enrolls again', async () => {
    const other = await enrollRouter(controller);
    const live = await connect(other);
    await controller.rest('POST', `/edge-routers/${other.id}/re-enroll`);
    await live.closed;
    expect(await refusal(other)).toContain('not enrolled');
    const again = { ...other, ...(await enrollAgain(controller, other.id)) };
    await (await connect(again)).close();
    expect(await refusal(other)).toContain('not enrolled');
  });

  test('a version that has not five fields', async () => {
    for (const version of ['v1.6.20', 'v1.6.20|a|b|c|d|e', '']) {
      const refused = TestRouter.open(controller.port, router, { version });
      const answer = await refused.next(CONTENT.result);
      expect(isSuccess(answer)).toBe(false);
      expect(answer.body.toString()).toContain('5 fields');
    }
  });

  test('anything that is no hello, with the versions that are spoken here', async () => {
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', helloFrame({ id: 'x'.repeat(5_000) })]) {
      const socket = connectTls(controller.port, router);
      socket.write(bytes);
      const answer: Buffer[] = [];
      socket.on('data', (piece: Buffer) => answer.push(piece));
      await once(socket, 'close');
      expect(Buffer.concat(answer).toString('hex')).toBe('0306090a020000000100000002000000');
    }
  });
});

describe('a router of version 2', () => {
  const dial = (hello: GroupedHello, enrolled = router): TestRouter =>
    TestRouter.open(controller.port, enrolled, helloOfVersion2(hello));

  /** Connects a router that the controller accepts; gives the group of its answer. */
  async function enter(
    hello: GroupedHello = {},
    enrolled = router,
  ): Promise<{ connection: TestRouter; group: Group }> {
    const connection = dial(hello, enrolled);
    const answer = await connection.next(CONTENT.result);
    expect(isSuccess(answer)).toBe(true);
    return { connection, group: groupIn(answer) };
  }

  /** How a connection that is closed without an answer ends. */
  async function closedAlone(hello: GroupedHello, enrolled = router): Promise<void> {
    const refused = dial(hello, enrolled);
    await refused.closed;
    expect(refused.received).toEqual([]);
  }

  test('is online beside one of version 1, with what it says about itself', async () => {
    const other = await enrollRouter(controller);
    const legacy = await connect(other);
    const { connection } = await enter();
    await connection.introduce();
    await eventually(async () => {
      const { body } = await controller.rest('GET', `/edge-routers/${router.id}`);
      expect(body.data).toMatchObject({
        isOnline: true,
        syncStatus: 'SYNC_DONE',
        supportedProtocols: { tls: 'tls://router.example:3022' },
        versionInfo: { version: 'v2.0.3' },
      });
    });
    await becomes(other, true);
    await connection.close();
    await becomes(router, false);
    await legacy.close();
  });

  test('has a second connection, and stays online as long as one of them lives', async () => {
    const { connection: first, group } = await enter();
    const { connection: second } = await enter({ type: 'ctrl.high', isFirst: false, group });
    expect((await second.ask(CONTENT.ping)).type).toBe(CONTENT.result);
    await first.introduce();
    await first.next(CONTENT.apiSessionAdded);
    await first.close();
    // Messages that were lost with the first one come by the other one.
    await second.next(CONTENT.apiSessionAdded);
    // Some routers call each connection the first.
    const { connection: again } = await enter({ isFirst: true, group });
    await second.close();
    // That one carried everything for a while.
    await again.next(CONTENT.apiSessionAdded);
    await becomes(router, true);
    await again.close();
    await becomes(router, false);
  });

  test('gets nothing again when it loses the connection for orders about circuits', async () => {
    const { connection: first, group } = await enter();
    const member = { type: 'ctrl.high', isFirst: false, group } as const;
    const { connection: second } = await enter(member);
    await first.introduce();
    await first.next(CONTENT.apiSessionAdded);
    await second.close();
    const { connection: again } = await enter(member);
    // Changes wait for the end of a full state.
    await controller.login();
    await first.next(CONTENT.apiSessionUpdated);
    expect(first.received.map(({ type }) => type)).not.toContain(CONTENT.apiSessionAdded);
    await again.close();
    await first.close();
  });

  test('comes back with its group to a controller that never saw it', async () => {
    const group = { id: Buffer.from('elsewhere-1'), secret: Buffer.from('the secret of before') };
    const first = await enter({ type: 'ctrl.high', group });
    const second = await enter({ isFirst: false, group });
    expect([first.group, second.group]).toEqual([group, group]);
    const later = { ...group, id: Buffer.from('elsewhere-2') };
    const { connection } = await enter({ group: later });
    await Promise.all([first.connection.closed, second.connection.closed]);
    await becomes(router, true);
    await connection.close();
  });

  test('enters no group that is not here, with another secret or with another certificate', async () => {
    const { connection, group } = await enter();
    const member = { type: 'ctrl.high', isFirst: false } as const;
    await closedAlone(member);
    await closedAlone({ ...member, group: { ...group, id: Buffer.from('another') } });
    await closedAlone({ ...member, group: { ...group, secret: Buffer.alloc(16) } });
    const other = await enrollRouter(controller);
    await closedAlone({ ...member, group }, other);
    await closedAlone({ ...member, group }, { ...other, id: router.id });
    expect((await connection.ask(CONTENT.ping)).type).toBe(CONTENT.result);
    await connection.close();
  });

  test('leaves with all of its connections when it is disabled', async () => {
    const other = await enrollRouter(controller);
    const { connection: first, group } = await enter({}, other);
    const member = { type: 'ctrl.high', isFirst: false, group } as const;
    const { connection: second } = await enter(member, other);
    await controller.rest('PATCH', `/edge-routers/${other.id}`, { disabled: true });
    await Promise.all([first.closed, second.closed]);
    await closedAlone(member, other);
  });
});

test('other clients of the port are served as before, also in pieces', async () => {
  for (const protocols of [[], ['http/1.1'], ['h2', 'http/1.1']]) {
    const socket = connectTls(controller.port, {}, protocols);
    socket.write('GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    const answer: Buffer[] = [];
    socket.on('data', (piece: Buffer) => answer.push(piece));
    await once(socket, 'close');
    expect(Buffer.concat(answer).toString()).toMatch(/^HTTP\/1.1 200 OK/);
  }
});

test('connections that never say hello hold up no router for long', async () => {
  const silent = Array.from({ length: 40 }, () => connectTls(controller.port));
  let closed = 0;
  for (const socket of silent) {
    socket.on('error', () => undefined).once('close', () => (closed += 1));
  }
  await Promise.all(silent.map((socket) => once(socket, 'secureConnect')));
  const one = await connect();
  expect(closed).toBe(0);
  await one.close();
  for (const socket of silent) socket.destroy();
});

test('a silent connection and garbage end alone', async () => {
  const live = await connect();
  const silent = tcp();
  const garbage = tcp();
  garbage.write('no handshake at all\r\n\r\n');
  const broken = tcp();
  // The head of a record, and a first message that is no hello.
  broken.write(Buffer.from('16030100050b00000100', 'hex'));
  await Promise.all([once(garbage, 'close'), once(broken, 'close')]);
  silent.destroy();
  expect((await live.ask(CONTENT.ping)).type).toBe(CONTENT.result);
  await live.close();
});

function tcp(): Socket {
  const socket = connectTcp(controller.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  return socket;
}
