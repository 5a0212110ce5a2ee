import type { JsonObject } from '../../../src/base/row.js';
import type { RowState } from '../../../src/network/data-model/data-model.js';
import type { LoggedState } from '../../../src/network/data-model/load-data-model.js';
import { endOfTransaction } from '../../../src/network/data-model/log-place.js';
import type { RouterEntityKind } from '../../../src/network/data-model/router-entities.js';
import { pick } from '../../kill/random.js';
import { randomCheck } from './devices.js';

/* The change log of a random network, as the store writes it. */

export interface Commit {
  readonly transaction: number;
  readonly changes: readonly LoggedState[];
  /** A deleted service takes the configs of identities for it along. */
  readonly hidesPast: boolean;
}

interface Assignment {
  readonly identityId: string;
  readonly attribute: string;
  readonly from: number;
  readonly until: number;
}

const MINUTE = 60_000;
const ATTRIBUTES = ['a', 'b', 'c'];
const CHECK_TYPES = ['OS', 'DOMAIN', 'MAC', 'PROCESS', 'PROCESS_MULTI', 'MFA'];
const COUNTS: Readonly<Record<RouterEntityKind, number>> = {
  ConfigType: 2,
  Config: 4,
  Identity: 7,
  Service: 6,
  PostureCheck: 6,
  ServicePolicy: 6,
  Revocation: 4,
};
/** Mostly of what decides access. */
const KINDS: readonly RouterEntityKind[] = [
  ...(['Identity', 'Identity', 'Service', 'Service', 'PostureCheck', 'PostureCheck'] as const),
  ...(['ServicePolicy', 'ServicePolicy', 'ServicePolicy', 'Config', 'ConfigType'] as const),
  'Revocation',
];

export class RandomLog {
  readonly commits: Commit[] = [];
  readonly rows = new Map<string, JsonObject>();
  now = Date.parse('2026-06-01T00:00:00Z');
  epoch = 1;
  /** All changes, also those that the log has lost. */
  readonly history: LoggedState[] = [];
  readonly #assignments: Assignment[] = [];
  /** Configs of identities for services, by identity and service. */
  readonly #overrides = new Map<string, { serviceId: string; configId: string }[]>();
  #transaction = 700;
  /** The rows before the first commit of the log, with the transaction of the last one that it lost. */
  readonly #base = new Map<string, JsonObject>();
  #begin = 700;
  #revision = 0;
  #changes: LoggedState[] = [];
  #hidesPast = false;

  constructor(private readonly random: () => number) {}

  /** The timeline of routers: another one after a restore. */
  get timelineId(): string {
    return `timeline ${String(this.epoch)}`;
  }

  /** The rows as they were behind a transaction, and the commits after it. */
  at(transaction: number): { rows: RowState[]; later: readonly Commit[] } {
    const isBefore = (commit: Commit): boolean => commit.transaction <= transaction;
    const rows = new Map(this.#base);
    for (const { changes } of this.commits.filter(isBefore)) {
      for (const change of changes) applyTo(rows, change);
    }
    const states = [...rows].map(([key, after]) => {
      const [kind = '', id = ''] = key.split(' ');
      return { kind: kind as RouterEntityKind, id, after };
    });
    return { rows: states, later: this.commits.filter((commit) => !isBefore(commit)) };
  }

  /** The first transaction from which the log has all that it takes to undo what follows. */
  get undoableFrom(): number {
    const last = this.commits.findLast(({ hidesPast }) => hidesPast);
    return Math.max(last?.transaction ?? 0, this.#begin);
  }

  /** The log loses its oldest commits. */
  prune(count: number): void {
    for (const { transaction, changes } of this.commits.splice(0, count)) {
      for (const change of changes) applyTo(this.#base, change);
      this.#begin = transaction;
    }
  }

  /** The database is that of another server, which numbers its transactions by itself. */
  restore(): void {
    this.prune(this.commits.length);
    this.epoch += 1;
    this.#transaction = 700 + Math.floor(this.random() * 100);
    this.#begin = this.#transaction;
  }

  /** The place behind a transaction. */
  endOf(transaction: number): string {
    return endOfTransaction(transaction, String(this.epoch).padStart(4, '0'));
  }

  get transaction(): number {
    return this.#transaction;
  }

  of(kind: RouterEntityKind): JsonObject[] {
    return idsOf(kind).flatMap((id) => {
      const row = this.rows.get(`${kind} ${id}`);
      return row ? [row] : [];
    });
  }

  /** Makes one commit of several changes, often of one row. */
  commit(): void {
    this.#transaction += 1 + Math.floor(this.random() * 3);
    this.now += Math.floor(this.random() * MINUTE);
    const count = 1 + Math.floor(this.random() * 4);
    for (let i = 0; i < count; i += 1) this.change(pick(this.random, KINDS));
    if (this.random() < 0.3) this.lookAtTime();
    this.end();
  }

  /** Begins and ends what does so by the clock, in a commit of its own. */
  commitTime(): void {
    this.#transaction += 1;
    this.lookAtTime();
    this.end();
  }

  private end(): void {
    const transaction = this.#transaction;
    if (this.#changes.length > 0) {
      this.commits.push({ transaction, changes: this.#changes, hidesPast: this.#hidesPast });
    }
    this.#changes = [];
    this.#hidesPast = false;
  }

  private change(kind: RouterEntityKind): void {
    const id = pick(this.random, idsOf(kind));
    const before = this.rows.get(`${kind} ${id}`);
    if (before && this.random() < 0.25) this.remove(kind, id);
    else if (kind === 'Identity' && before && this.random() < 0.5) this.changeIdentity(id, before);
    else this.put(kind, id, this.row(kind, id, before));
  }

  private changeIdentity(id: string, before: JsonObject): void {
    const chance = this.random();
    if (chance < 0.3) {
      const until = this.random() < 0.5 ? new Date(this.now + 3 * MINUTE).toISOString() : null;
      const disabledAt = new Date(this.now).toISOString();
      this.put('Identity', id, { ...before, disabledAt, disabledUntil: until });
    } else if (chance < 0.4) {
      this.put('Identity', id, { ...before, disabledAt: null, disabledUntil: null });
    } else if (chance < 0.7) {
      const from = this.now + Math.floor(this.random() * 4) * MINUTE;
      const attribute = pick(this.random, ATTRIBUTES);
      this.#assignments.push({ identityId: id, attribute, from, until: from + 3 * MINUTE });
    } else this.override(id, before);
  }

  private override(id: string, before: JsonObject): void {
    const [service, config] = [this.of('Service'), this.of('Config')].map((rows) =>
      rows.length > 0 ? pick(this.random, rows) : undefined,
    );
    const others = (this.#overrides.get(id) ?? []).filter((one) => one.serviceId !== service?.id);
    const isSet = service && config && this.random() < 0.7;
    const added = { serviceId: service?.id as string, configId: config?.id as string };
    const configs = isSet ? [...others, added] : others;
    this.#overrides.set(id, configs);
    this.put('Identity', id, before, { serviceConfigs: configs });
  }

  private lookAtTime(): void {
    for (const identity of this.of('Identity')) {
      const assigned = this.#assignments
        .filter(({ identityId, from, until }) => {
          return identityId === identity.id && from <= this.now && this.now < until;
        })
        .map(({ attribute }) => attribute);
      const assignedRoleAttributes = [...new Set(assigned)].sort();
      const isOver =
        typeof identity.disabledUntil === 'string' &&
        Date.parse(identity.disabledUntil) <= this.now;
      const isSame =
        JSON.stringify(assignedRoleAttributes) === JSON.stringify(identity.assignedRoleAttributes);
      if (isSame && !isOver) continue;
      const enabled = isOver ? { disabledAt: null, disabledUntil: null } : {};
      this.put('Identity', identity.id as string, {
        ...identity,
        ...enabled,
        assignedRoleAttributes,
      });
    }
  }

  private row(kind: RouterEntityKind, id: string, before: JsonObject | undefined): JsonObject {
    const roleAttributes = this.some(ATTRIBUTES);
    const rows: Readonly<Record<RouterEntityKind, () => JsonObject>> = {
      ConfigType: () => ({ target: 'service' }),
      Config: () => ({
        configTypeId: before?.configTypeId ?? this.configType(),
        data: this.data(),
      }),
      Identity: () => ({
        ...{ assignedRoleAttributes: [], disabledAt: null, disabledUntil: null },
        ...before,
        roleAttributes,
        appData: this.data(),
      }),
      Service: () => ({
        ...{ roleAttributes, encryptionRequired: true },
        configs: this.some(this.of('Config').map((config) => config.id as string)),
      }),
      PostureCheck: () => ({
        roleAttributes,
        ...randomCheck(this.random, (before?.typeId as string) || pick(this.random, CHECK_TYPES)),
      }),
      ServicePolicy: () => ({
        type: pick(this.random, ['Dial', 'Bind']),
        semantic: pick(this.random, ['AllOf', 'AnyOf']),
        identityRoles: this.roles('Identity'),
        serviceRoles: this.roles('Service'),
        postureCheckRoles: this.random() < 0.3 ? [] : this.roles('PostureCheck'),
      }),
      Revocation: () => ({
        type: pick(this.random, ['JTI', 'IDENTITY', 'API_SESSION']),
        issuedBefore: new Date(this.now).toISOString(),
        expiresAt: new Date(this.now + 60 * MINUTE).toISOString(),
      }),
    };
    return { name: `${id} ${String(Math.floor(this.random() * 3))}`, ...rows[kind]() };
  }

  private configType(): string {
    const types = this.of('ConfigType');
    if (types.length === 0) this.put('ConfigType', 'ConfigType0', { name: 't', target: 'service' });
    return (this.of('ConfigType')[0]?.id as string | undefined) ?? '';
  }

  private data(): JsonObject {
    return { port: Math.floor(this.random() * 3) };
  }

  private roles(kind: RouterEntityKind): string[] {
    if (this.random() < 0.15) return ['#all'];
    const named = this.some(ATTRIBUTES).map((name) => `#${name}`);
    return [...named, ...(this.random() < 0.4 ? [`@${pick(this.random, idsOf(kind))}`] : [])];
  }

  private some<T>(from: readonly T[]): T[] {
    return from.filter(() => this.random() < 0.4);
  }

  /** As the database does: what is used stays, and what belongs to a row goes with it. */
  private remove(kind: RouterEntityKind, id: string): void {
    const overrides = [...this.#overrides.values()].flat();
    if (kind === 'ConfigType' && this.of('Config').some((one) => one.configTypeId === id)) return;
    if (kind === 'Config') {
      if (overrides.some(({ configId }) => configId === id)) return;
      for (const service of this.of('Service')) {
        const configs = service.configs as string[];
        if (!configs.includes(id)) continue;
        const others = configs.filter((one) => one !== id);
        this.put('Service', service.id as string, { ...service, configs: others });
      }
    }
    if (kind === 'Service') {
      this.#hidesPast = true;
      for (const [identityId, configs] of this.#overrides) {
        this.#overrides.set(
          identityId,
          configs.filter(({ serviceId }) => serviceId !== id),
        );
      }
    }
    if (kind === 'Identity') this.#overrides.delete(id);
    this.rows.delete(`${kind} ${id}`);
    this.log(kind, id, null);
  }

  private put(kind: RouterEntityKind, id: string, row: JsonObject, more: JsonObject = {}): void {
    const times = { createdAt: new Date(0), updatedAt: new Date(this.now) };
    const stored = { ...row, id, revision: (this.#revision += 1), ...times };
    this.rows.set(`${kind} ${id}`, stored);
    this.log(kind, id, { ...stored, ...more });
  }

  private log(kind: RouterEntityKind, id: string, after: JsonObject | null): void {
    const seq = this.#changes.length.toString(16).padStart(16, '0');
    const cursor = `${this.endOf(this.#transaction).slice(0, 20)}${seq}`;
    const change = { cursor, resource: kind, id, after };
    this.#changes.push(change);
    this.history.push(change);
  }
}

/** As tables have it: the configs of an identity stay, and go with their service. */
function applyTo(rows: Map<string, JsonObject>, { resource, id, after }: LoggedState): void {
  const key = `${resource} ${id}`;
  const earlier = rows.get(key)?.serviceConfigs;
  if (!after) rows.delete(key);
  else rows.set(key, earlier === undefined ? after : { serviceConfigs: earlier, ...after });
  if (resource !== 'Service' || after) return;
  for (const [other, row] of rows) {
    if (!Array.isArray(row.serviceConfigs)) continue;
    const configs = (row.serviceConfigs as { serviceId: string }[]).filter(
      ({ serviceId }) => serviceId !== id,
    );
    rows.set(other, { ...row, serviceConfigs: configs });
  }
}

const idsOf = (kind: RouterEntityKind): string[] =>
  Array.from({ length: COUNTS[kind] }, (_, i) => `${kind}${String(i)}`);
