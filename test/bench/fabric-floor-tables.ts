import pg from 'pg';
import { SESSION_SETTINGS } from '../../src/data/store/database.js';
import type { Circuit } from '../../src/network/fabric/circuit.js';

/** What a dial needs of its session and of the terminator of its service. */
export interface FloorDial extends Pick<
  Circuit,
  'sessionId' | 'serviceId' | 'identityId' | 'hostId' | 'terminatorId' | 'binding'
> {
  readonly routerId: string;
  readonly destination: string;
}

/** Tables of its own, so that no controller has to follow what the floor writes. */
const TABLES = `create unlogged table floor_circuit (like circuit including all);
  create unlogged table floor_circuit_event (like circuit_event including all);
  create table floor_terminator (like terminator including all);
  create table floor_terminator_change (like change including all)`;

const DIAL = `select s.id as "sessionId", s.service_id as "serviceId", s.identity_id as "identityId", t.host_id as "hostId",
    t.id as "terminatorId", t.binding, t.router_id as "routerId", t.address as destination
  from session s join service v on v.id = s.service_id join terminator t on t.service_id = s.service_id
  where s.token = $1 and s.type = 'Dial' and t.identity = '' order by t.precedence, t.cost limit 1`;

const CIRCUITS = `jsonb_to_recordset($1::jsonb) as c (id text, "sessionId" text, "serviceId" text, "identityId" text,
  "hostId" text, "terminatorId" text, "routerIds" jsonb, "linkIds" jsonb, ingress text, egress text, binding text,
  "createdAt" timestamptz, version bigint)`;
const IDS = `array(select jsonb_array_elements_text(c."routerIds")), array(select jsonb_array_elements_text(c."linkIds"))`;

const event = (
  kind: 'CREATED' | 'ENDED',
): string => `insert into floor_circuit_event (version, kind, at, circuit_id,
    session_id, service_id, identity_id, host_id, terminator_id, router_ids, link_ids, created_at)
  select c.version, '${kind}', clock_timestamp(), c.id, c."sessionId", c."serviceId", c."identityId", c."hostId",
    c."terminatorId", ${IDS}, c."createdAt" from ${CIRCUITS}`;

const PUT = `with put as (insert into floor_circuit (id, session_id, service_id, identity_id, host_id, terminator_id,
    router_ids, link_ids, ingress, egress, binding, created_at, updated_at)
  select c.id, c."sessionId", c."serviceId", c."identityId", c."hostId", c."terminatorId", ${IDS}, c.ingress, c.egress,
    c.binding, c."createdAt", c."createdAt" from ${CIRCUITS}) ${event('CREATED')}`;

const REMOVE = `with gone as (delete from floor_circuit where id in (select c.id from ${CIRCUITS})) ${event('ENDED')}`;

const HOST = `select identity_id as "hostId", service_id as "serviceId" from session where token = $1 and type = 'Bind'`;

const LOGGED =
  'insert into floor_terminator_change (epoch, at, entity_type, entity_id, operation, revision, before, after)';

const CREATE = `with t as (insert into floor_terminator (id, created_at, updated_at, service_id, router_id, binding, address,
    host_id, cost, precedence) values ($1, now(), now(), $2, $3, 'edge', $1, $4, $5, 'default') returning *)
  ${LOGGED} select 1, now(), 'Terminator', id, 'create', 1, null, to_jsonb(t) from t`;

const DELETE = `with t as (delete from floor_terminator where id = any($1::text[]) and router_id = $2 returning *)
  ${LOGGED} select 1, now(), 'Terminator', id, 'delete', 2, to_jsonb(t), null from t`;

/** As long as the controller waits for more circuits to store them together. */
const PAUSE_MILLIS = 50;

/** The statements of the floor. */
export class FloorTables {
  #present = new Map<string, Circuit>();
  #gone: Circuit[] = [];
  #isWriting = false;
  #version = 0;

  private constructor(private readonly pool: pg.Pool) {}

  static async open(databaseUrl: string): Promise<FloorTables> {
    const pool = new pg.Pool({
      connectionString: databaseUrl,
      options: SESSION_SETTINGS,
      max: 16,
    });
    await pool.query(TABLES);
    return new FloorTables(pool);
  }

  async dial(sessionToken: string): Promise<FloorDial> {
    const [facts] = await this.rows<FloorDial>('dial', DIAL, [sessionToken]);
    if (!facts) throw new Error('there is no such session, or no terminator');
    return facts;
  }

  /** Stores a circuit soon, together with others. */
  put(circuit: Circuit): void {
    this.#present.set(circuit.id, circuit);
    this.writeLater();
  }

  /** Removes a circuit soon, together with others. */
  remove(circuit: Circuit): void {
    this.#present.delete(circuit.id);
    this.#gone.push(circuit);
    this.writeLater();
  }

  async createTerminator(
    routerId: string,
    { address, sessionToken, cost }: { address: string; sessionToken: string; cost: number },
  ): Promise<void> {
    const [session] = await this.rows<{ hostId: string; serviceId: string }>('host', HOST, [
      sessionToken,
    ]);
    if (!session) throw new Error('there is no such session');
    const { serviceId, hostId } = session;
    await this.rows('create', CREATE, [address, serviceId, routerId, hostId, cost]);
  }

  async removeTerminators(routerId: string, ids: readonly string[]): Promise<void> {
    await this.rows('delete', DELETE, [ids, routerId]);
  }

  private async rows<R extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: unknown[],
  ): Promise<R[]> {
    return (await this.pool.query<R>({ name, text, values })).rows;
  }

  private writeLater(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    setTimeout(() => void this.write(), PAUSE_MILLIS);
  }

  private async write(): Promise<void> {
    const [present, gone] = [[...this.#present.values()], this.#gone];
    this.#present = new Map();
    this.#gone = [];
    if (present.length > 0) await this.rows('put', PUT, [this.numbered(present)]);
    if (gone.length > 0) await this.rows('remove', REMOVE, [this.numbered(gone)]);
    this.#isWriting = false;
    if (this.#present.size + this.#gone.length > 0) this.writeLater();
  }

  private numbered(circuits: readonly Circuit[]): string {
    return JSON.stringify(circuits.map((circuit) => ({ ...circuit, version: ++this.#version })));
  }
}
