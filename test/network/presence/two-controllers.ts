import type { Row } from '../../../src/base/row.js';
import type { RouterHello } from '../../../src/data/rows/router/index.js';
import type { IdentityTrace } from '../../../src/data/rows/trace/index.js';
import type { KnownApiSession } from '../../../src/data/rows/api-session/index.js';
import type { RouterCommands, RouterConnection } from '../../../src/network/presence/index.js';
import { ChangeFeed } from '../../../src/data/store/change-feed.js';
import { StoredChangeLog } from '../../../src/data/store/change-log.js';
import { newCsr, newKey } from '../../trust/auth/certificates.js';
import { MINUTE, TestClock } from '../../trust/auth/in-process-logins.js';
import { InProcess } from '../../support/in-process.js';

/* Two controllers of one network, with a clock that both go by, and what a control channel does. */

export const TIMEOUT = 30 * MINUTE;
/** As `RouterPresence` has it. */
export const LAPSE = 20_000;

/** A channel that notes what it is told. */
export class Recorder implements RouterCommands {
  private readonly disconnected: [id: string, reason: string][] = [];
  readonly changed: KnownApiSession[] = [];
  readonly removed: string[] = [];
  readonly sessions: string[] = [];
  readonly traces: IdentityTrace[] = [];
  readonly routers: string[][] = [];
  resyncs = 0;

  disconnect(connection: RouterConnection, reason: string): void {
    this.disconnected.push([connection.id, reason]);
  }

  /** Why the connection had to be closed; empty while it need not be. */
  reasonsFor({ id }: RouterConnection): string[] {
    return this.disconnected.flatMap(([closed, reason]) => (closed === id ? [reason] : []));
  }

  apiSessionsChanged(sessions: readonly KnownApiSession[]): void {
    this.changed.push(...sessions);
  }

  apiSessionsRemoved(ids: readonly string[]): void {
    this.removed.push(...ids);
  }

  sessionsRemoved(ids: readonly string[]): void {
    this.sessions.push(...ids);
  }

  trace(trace: IdentityTrace): void {
    this.traces.push(trace);
  }

  routersChanged(ids: readonly string[]): void {
    this.routers.push([...ids]);
  }

  resync(): void {
    this.resyncs += 1;
  }
}

export class TwoControllers {
  private count = 0;

  private constructor(
    readonly clock: TestClock,
    readonly first: InProcess,
    readonly second: InProcess,
    private readonly feeds: readonly ChangeFeed[],
  ) {}

  /** Each follows what the other writes, unless statements are to be counted. */
  static async start(following = true, clock = new TestClock()): Promise<TwoControllers> {
    const options = { now: clock.now, sessionTimeoutMs: TIMEOUT };
    const first = await InProcess.start(undefined, options);
    const second = await InProcess.start(first, options);
    const feeds = following ? [await follow(first), await follow(second)] : [];
    return new TwoControllers(clock, first, second, feeds);
  }

  async stop(): Promise<void> {
    for (const feed of this.feeds) await feed.stop();
    await this.second.stop();
    await this.first.stop();
  }

  readonly unique = (kind: string): string => `${kind} ${String(++this.count)}`;

  person(): Promise<string> {
    return this.first.create('Identity', {
      name: this.unique('person'),
      type: 'Default',
      isAdmin: false,
    });
  }

  /** A router that has enrolled, ready to say hello. */
  async router(input: Row = {}): Promise<RouterHello> {
    const name = this.unique('router');
    const routerId = await this.first.create('EdgeRouter', { name, ...input });
    return this.enroll(routerId);
  }

  async enroll(routerId: string): Promise<RouterHello> {
    const read = () =>
      this.first.read<{ edgeRouter: { enrollmentToken: string; fingerprint: string } }>(
        'query ($id: ID!) { edgeRouter(id: $id) { enrollmentToken fingerprint } }',
        { id: routerId },
      );
    const csr = await newCsr(newKey(), `CN=${routerId}`);
    await this.first.read(
      'mutation ($input: EnrollInput!) { enroll(method: "erott", input: $input) { cert } }',
      {
        input: { token: (await read()).edgeRouter.enrollmentToken, clientCsr: csr, serverCsr: csr },
      },
      this.first.anonymous(),
    );
    return helloOf(routerId, (await read()).edgeRouter.fingerprint);
  }
}

const helloOf = (routerId: string, fingerprint: string): RouterHello => ({
  routerId,
  fingerprint,
  hostname: 'router.example',
  listeners: { tls: 'tls://router.example:3022' },
  versionInfo: { version: 'v1.6.20', revision: 'abc', buildDate: '', os: 'linux', arch: 'amd64' },
  linkListeners: [
    {
      address: 'tls:router.example:10080',
      protocol: 'tls',
      costTags: [],
      groups: ['default'],
      localBinding: '',
    },
  ],
});

/** What the graph shows of a router, once the controller has read what is stored. */
export async function shown(on: InProcess, { routerId }: RouterHello): Promise<Row> {
  await on.parts.presence.refresh();
  const { edgeRouter } = await on.read<{ edgeRouter: Row }>(
    `query ($id: ID!) { edgeRouter(id: $id) {
      isOnline hostname supportedProtocols { protocol address } syncStatus versionInfo { version os } } }`,
    { id: routerId },
  );
  return edgeRouter;
}

async function follow(controller: InProcess): Promise<ChangeFeed> {
  const { database, store } = controller.parts;
  const log = new StoredChangeLog(database);
  const feed = new ChangeFeed(
    database,
    log,
    await log.horizon(),
    (changes) => {
      void store.deliver(changes);
    },
    (error) => {
      throw error;
    },
  );
  await feed.start();
  return feed;
}
