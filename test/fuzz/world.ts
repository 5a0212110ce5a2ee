import { grantableIn } from '../../src/kernel/declare/grantable.js';
import { identityPermissions } from '../../src/trust/auth/rules/identity-permissions.js';
import { catalog } from '../../src/resources/index.js';
import { certificatePem } from '../rest/support/certificates.js';
import { SampleNetwork } from '../rest/support/network.js';
import type { ControllerProcess } from '../support/controller.js';
import type { CallerKind } from './fuzz-request.js';

const permissionNames = identityPermissions(grantableIn(catalog));

/** Of each kind the requests keep so many; the oldest go first. */
const MAX_OF_A_KIND = 40;
const FIRST_OF_A_KIND = 3;
const CERTIFICATES = 40;
const SESSIONS_OF_A_CALLER = 2;
const PASSWORD = 'a good password';

const PERMISSIONS: Readonly<Record<Exclude<CallerKind, 'stranger'>, readonly string[]>> = {
  powerless: [],
  reader: permissionNames.filter((name) => name.endsWith('.read')),
  editor: permissionNames.filter((name) => name.includes('.')),
  administrator: [],
};

interface Account {
  readonly username: string;
  readonly sessions: string[];
  /** Refusals since somebody last looked whether the sessions still live. */
  refused: number;
}

/** What exists in the controller that is fuzzed, and who may ask for it. */
export class World {
  readonly #kinds = new Map<string, string[]>();
  readonly #accounts = new Map<CallerKind, Account>();
  #accountNumber = 0;

  private constructor(
    readonly controller: ControllerProcess,
    private readonly network: SampleNetwork,
  ) {}

  /** A network with a few of everything, and a session of every kind of caller. */
  static async build(controller: ControllerProcess): Promise<World> {
    const network = await new SampleNetwork(controller, catalog).build();
    const world = new World(controller, network);
    for (const resource of catalog.all()) {
      const kind = resource.options.path;
      world.adopt(kind, network.idOf(resource.name));
      if (!resource.verbs.has('create')) continue;
      for (let i = 0; i < FIRST_OF_A_KIND; i += 1) {
        world.adopt(kind, await network.create(resource.name));
      }
    }
    await world.addTexts();
    for (const kind of Object.keys(PERMISSIONS)) await world.openAccount(kind as CallerKind);
    return world;
  }

  /** Stands for the placeholders of requests. */
  readonly lookup = (kind: string, n: number): string | undefined => {
    const values = this.#kinds.get(kind) ?? [];
    return values.length === 0 ? undefined : values[n % values.length];
  };

  /** Takes up what a request has made; gives what has to go for it. */
  adopt(kind: string, id: string): string | undefined {
    const ids = this.#kinds.get(kind) ?? [];
    this.#kinds.set(kind, ids);
    if (ids.includes(id)) return undefined;
    ids.push(id);
    return ids.length > MAX_OF_A_KIND ? ids.shift() : undefined;
  }

  /** Forgets what is deleted, unless it is one of the last: requests then ask for what is not there. */
  forget(id: string): void {
    for (const ids of this.#kinds.values()) {
      const at = ids.indexOf(id);
      if (at !== -1 && ids.length > FIRST_OF_A_KIND) ids.splice(at, 1);
    }
  }

  /** The session that a caller sends, by the number of the request. */
  sessionOf(kind: CallerKind, index: number): string | undefined {
    const sessions = this.#accounts.get(kind)?.sessions ?? [];
    return sessions[index % Math.max(1, sessions.length)];
  }

  /** Looks after the sessions of somebody who was refused; what the requests ended begins anew. */
  async lookAfter(kind: CallerKind): Promise<void> {
    const account = this.#accounts.get(kind);
    if (!account) return;
    account.refused += 1;
    const patience = kind === 'administrator' ? 1 : 40;
    if (account.refused < patience) return;
    account.refused = 0;
    for (const [i, token] of account.sessions.entries()) {
      const headers = { 'zt-session': token };
      const { status, body } = await this.controller.rest(
        'GET',
        '/current-api-session',
        undefined,
        headers,
      );
      const isPartial =
        ((body.data as { authQueries?: unknown[] } | null)?.authQueries ?? []).length > 0;
      if (status === 200 && !isPartial) continue;
      if (!(await this.renew(account, i))) {
        await this.openAccount(kind);
        return;
      }
    }
  }

  private async renew(account: Account, i: number): Promise<boolean> {
    const { username } = account;
    const { status, body } = await this.controller.rest(
      'POST',
      '/authenticate?method=password',
      { username, password: PASSWORD },
      { 'zt-session': '' },
    );
    const session = body.data as { token: string; authQueries: unknown[] };
    if (status !== 200 || session.authQueries.length > 0) return false;
    account.sessions[i] = session.token;
    return true;
  }

  /** A new identity of the kind; no request knows its id. */
  private async openAccount(kind: CallerKind): Promise<void> {
    if (kind === 'stranger') return;
    const username = `caller-${kind}-${String(++this.#accountNumber)}`;
    const { controller } = this;
    const identityId = await controller.create('identities', {
      name: username,
      type: 'Default',
      isAdmin: kind === 'administrator',
      permissions: PERMISSIONS[kind],
    });
    const authenticator = { identityId, method: 'updb', username, password: PASSWORD };
    this.adopt('own-authenticators', await controller.create('authenticators', authenticator));
    const account: Account = { username, sessions: [], refused: 0 };
    for (let i = 0; i < SESSIONS_OF_A_CALLER; i += 1) await this.renew(account, i);
    this.adopt('username', username);
    this.#accounts.set(kind, account);
  }

  private async addTexts(): Promise<void> {
    for (let i = 0; i < CERTIFICATES; i += 1) {
      this.adopt('certificate', await certificatePem(this.network.unique()));
    }
    this.adopt('key', await this.signingKey());
    for (let i = 0; i < FIRST_OF_A_KIND; i += 1) {
      this.adopt('enrollment-token', await this.enrollmentToken());
    }
  }

  private async signingKey(): Promise<string> {
    const { body } = await this.controller.rest('GET', '/edge/client/v1/enroll/jwks');
    return (body as unknown as { keys: { kid: string }[] }).keys[0]?.kid ?? '';
  }

  private async enrollmentToken(): Promise<string> {
    const id = await this.network.create('Identity');
    const { body } = await this.controller.rest('GET', `/identities/${id}`);
    const { enrollment } = body.data as { enrollment: { ott: { token: string } } };
    return enrollment.ott.token;
  }
}
