import { Batches } from '../../base/batches.js';
import { together } from '../../base/together.js';
import {
  sessionFacts,
  terminators,
  type BindFacts,
  type HostedBinding,
  type HostedTerminator,
  type Precedence,
  type PresentedToken,
  type StoredPeerData,
} from '../../data/rows/terminator/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Store, Transaction } from '../../kernel/request/store-port.js';
import { deleteIn, insertIn, originOfController, patchIn } from '../../kernel/write/write.js';
import type { RowOf } from '../../kernel/declare/rows.js';
import type { PolicyIndex } from '../../kernel/policy/index.js';
import type { FabricFact } from './fabric-fact.js';
import type { PostureGuard } from './posture-guard.js';
import type { UseObserver } from './use-observer.js';

export interface BindingsOptions {
  readonly store: Store;
  readonly index: Pick<PolicyIndex, 'commonRouters'>;
  readonly posture: PostureGuard;
  readonly context: () => RequestContext;
  readonly now: () => Date;
  readonly onFact?: ((fact: FabricFact) => void) | undefined;
  readonly onUse?: UseObserver | undefined;
}

/** A client of a router wants to host a service. */
export interface BindRequest {
  readonly binding: HostedBinding;
  /** A unique text of the router, which is also the id of the terminator. */
  readonly address: string;
  readonly session: PresentedToken;
  readonly peerData: StoredPeerData;
  readonly cost: number;
  readonly precedence: Precedence;
  readonly instanceId: string;
  readonly instanceSecret: Uint8Array;
}

export type BindFailure = 'FailedInvalidSession' | 'FailedIdConflict' | 'FailedOther';

/** A request to host that is refused. */
export class BindRefusal extends Error {
  constructor(
    readonly result: BindFailure,
    message: string,
  ) {
    super(message);
  }
}

export interface BindUpdate {
  readonly terminatorId: string;
  readonly cost?: number | undefined;
  readonly precedence?: Precedence | undefined;
}

/** A request to host that may be stored. */
interface Bind {
  readonly routerId: string;
  readonly session: BindFacts;
  readonly request: BindRequest;
}

/** Terminators to delete, as far as they are wanted. */
interface Deletion {
  readonly ids: readonly string[];
  readonly isWanted: (row: RowOf<'Terminator'>) => boolean;
}

const MAX_COST = 65_535;
/** Requests of one transaction. */
const MAX_IN_BATCH = 100;
/** A terminator this new may not be known to its router as such. */
const YOUNG_MILLIS = 5_000;

/** The terminators that clients of routers host. */
export class Bindings {
  /** By the identity that hosts: it is the author of the changes of a transaction. */
  readonly #binds = new Batches<string, Bind>(
    (identityId, binds) =>
      this.write(identityId, (tx) => together(binds.map((bind) => this.store(tx, bind)))),
    MAX_IN_BATCH,
  );
  readonly #deletions = new Batches<null, Deletion>(
    (author, deletions) => this.deleteTogether(author, deletions),
    MAX_IN_BATCH,
  );

  constructor(private readonly options: BindingsOptions) {}

  /**
   * Creates the terminator; routers repeat requests after a reconnection, so one that exists is
   * changed.
   * @throws BindRefusal
   */
  async bind(routerId: string, request: BindRequest): Promise<void> {
    const { store, index, posture } = this.options;
    const { address, instanceId, cost } = request;
    if (address.trim() === '') throw new BindRefusal('FailedOther', 'the address is empty');
    const session = await sessionFacts.ofBind(store, request.session, {
      id: address,
      instanceId,
    });
    if (!session) throw new BindRefusal('FailedInvalidSession', 'the client has no such session');
    if (session.type !== 'Bind') {
      throw new BindRefusal('FailedInvalidSession', 'the session is not for hosting');
    }
    if (!index.commonRouters(session.identityId, session.serviceId).includes(routerId)) {
      throw new BindRefusal('FailedOther', 'the session may not use this router');
    }
    if (!(await posture.allows(request.session, session, routerId))) {
      throw new BindRefusal('FailedOther', 'a posture check fails');
    }
    if (cost > MAX_COST) throw new BindRefusal('FailedOther', `the cost is above ${MAX_COST}`);
    const { identityId, serviceId } = session;
    // A router that connects again repeats the requests of all of its clients.
    await this.#binds.add(identityId, { routerId, session, request });
    this.options.onUse?.({ identityId, serviceId, type: 'Bind' });
  }

  /** Changes terminators of a router; unknown ones have no effect. */
  async update(routerId: string, update: BindUpdate): Promise<boolean> {
    return (await this.change(routerId, update)) !== undefined;
  }

  /** A host at a router has checked its service; one that does not work comes last. */
  async applyHealthCheck(
    routerId: string,
    terminatorId: string,
    isHealthy: boolean,
  ): Promise<void> {
    const precedence = isHealthy ? 'default' : 'failed';
    const terminator = await this.change(routerId, { terminatorId, precedence });
    if (!terminator) return;
    const { serviceId } = terminator;
    this.options.onFact?.({ kind: 'healthChecked', serviceId, terminatorId, isHealthy });
  }

  /** Drains a router: all of its terminators come last, until it is restored. */
  quiesce(routerId: string): Promise<void> {
    return this.changeAll(routerId, ({ precedence, savedPrecedence }) =>
      savedPrecedence === null ? { precedence: 'failed', savedPrecedence: precedence } : undefined,
    );
  }

  /** Gives the terminators of a quiesced router their precedence back. */
  restore(routerId: string): Promise<void> {
    return this.changeAll(routerId, ({ precedence, savedPrecedence }) => {
      if (savedPrecedence === null) return undefined;
      // Somebody has set another one meanwhile.
      const isDrained = precedence === 'failed';
      return { savedPrecedence: null, ...(isDrained ? { precedence: savedPrecedence } : {}) };
    });
  }

  /** Removes terminators of a router. Unknown ones, and those of other routers, have no effect. */
  async remove(routerId: string, ids: readonly string[]): Promise<void> {
    await this.delete(ids, (row) => row.routerId === routerId);
  }

  /** Removes the terminators of identities that have no session to host these services any more. */
  async removeUnhosted(
    hosts: readonly { readonly identityId: string; readonly serviceId: string }[],
  ): Promise<void> {
    await this.delete(await terminators.unhosted(this.options.store, hosts));
  }

  /** Removes the terminators of hosts at routers that leave posture to the controller, since it fails. */
  async removeUnfit(
    hosts: readonly { readonly identityId: string; readonly serviceId: string }[],
  ): Promise<void> {
    if (hosts.length === 0) return;
    const hosted = await terminators.ofHosts(this.options.store, hosts);
    const unfit = hosted.filter(({ routerId }) => this.options.posture.isInChargeAt(routerId));
    await this.delete(unfit.map(({ id }) => id));
  }

  /** The terminators that a router must still have, for it to confirm. */
  hostedAt(routerId: string): Promise<HostedTerminator[]> {
    const before = new Date(this.options.now().getTime() - YOUNG_MILLIS);
    return terminators.hostedAt(this.options.store, routerId, before);
  }

  /** Removes terminators that a router says it does not have, unless they were changed since. */
  async removeInvalid(
    routerId: string,
    invalid: readonly { readonly id: string; readonly revision: number }[],
  ): Promise<void> {
    const revisions = new Map(invalid.map(({ id, revision }) => [id, revision]));
    await this.delete(
      [...revisions.keys()],
      (row) => row.routerId === routerId && row.revision === revisions.get(row.id),
    );
  }

  private async store(tx: Transaction, { routerId, session, request }: Bind): Promise<void> {
    const { Terminator } = this.options.context().catalog.resources;
    const { binding, address, cost, precedence, instanceId, instanceSecret, peerData } = request;
    const { identityId: hostId, serviceId } = session;
    const existing = session.isStored ? await tx.lockRow(Terminator, address) : undefined;
    if (existing) {
      const isSame =
        existing.binding === binding &&
        existing.routerId === routerId &&
        existing.serviceId === serviceId &&
        existing.hostId === hostId;
      if (!isSame)
        throw new BindRefusal('FailedIdConflict', 'the id is that of another terminator');
      const values = { cost, ...precedenceIn(existing, precedence) };
      if (isPart(values, existing)) return;
      await patchIn(tx, Terminator, existing, values);
      return;
    }
    if (session.isHostedByOther) {
      throw new BindRefusal('FailedOther', 'another identity hosts this instance');
    }
    await insertIn(tx, Terminator, {
      id: address,
      address,
      binding,
      serviceId,
      routerId,
      hostId,
      identity: instanceId,
      instanceId,
      identitySecret: instanceSecret,
      peerData,
      cost,
      precedence,
      sourceCtrl: '',
      isSystem: false,
    });
  }

  /** Gives the terminator, if it is one of the router. */
  private change(
    routerId: string,
    { terminatorId, cost, precedence }: BindUpdate,
  ): Promise<RowOf<'Terminator'> | undefined> {
    const { Terminator } = this.options.context().catalog.resources;
    return this.write(null, async (tx) => {
      const current = await tx.lockRow(Terminator, terminatorId);
      if (current?.routerId !== routerId) return undefined;
      const values = {
        ...(cost === undefined ? {} : { cost: Math.min(cost, MAX_COST) }),
        ...(precedence === undefined ? {} : precedenceIn(current, precedence)),
      };
      await patchIn(tx, Terminator, current, values);
      return current;
    });
  }

  private async changeAll(
    routerId: string,
    change: (row: RowOf<'Terminator'>) => Partial<RowOf<'Terminator'>> | undefined,
  ): Promise<void> {
    const { Terminator } = this.options.context().catalog.resources;
    const atRouter = await terminators.at(this.options.store, routerId);
    const ids = atRouter.map(({ id }) => id);
    await this.write(null, async (tx) => {
      for (const row of await tx.lock(Terminator, ids)) {
        const values = change(row);
        if (values) await patchIn(tx, Terminator, row, values);
      }
    });
  }

  private async delete(
    ids: readonly string[],
    isWanted: Deletion['isWanted'] = () => true,
  ): Promise<void> {
    if (ids.length > 0) await this.#deletions.add(null, { ids, isWanted });
  }

  private async deleteTogether(author: null, deletions: readonly Deletion[]): Promise<void> {
    const ctx = this.options.context();
    const { Terminator } = ctx.catalog.resources;
    const deletionsOf = new Map<string, Deletion[]>();
    for (const deletion of deletions) {
      for (const id of deletion.ids) {
        deletionsOf.set(id, [...(deletionsOf.get(id) ?? []), deletion]);
      }
    }
    await this.write(author, async (tx) => {
      const rows = await tx.lock(Terminator, [...deletionsOf.keys()]);
      const wanted = rows.filter((row) =>
        deletionsOf.get(row.id)?.some(({ isWanted }) => isWanted(row)),
      );
      await deleteIn(ctx, tx, Terminator, wanted);
    });
  }

  /** Runs `work` in the name of an identity or, without one, of the controller. */
  private write<T>(author: string | null, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const origin = originOfController(this.options.now());
    return this.options.store.write({ ...origin, actorId: author }, work);
  }
}

/** The precedence that a host sets; while its router is quiesced, it counts later. */
const precedenceIn = (
  { savedPrecedence }: RowOf<'Terminator'>,
  precedence: Precedence,
): Partial<RowOf<'Terminator'>> =>
  savedPrecedence === null ? { precedence } : { savedPrecedence: precedence };

const isPart = (values: object, row: object): boolean =>
  Object.entries(values).every(([name, value]) => row[name as keyof typeof row] === value);
