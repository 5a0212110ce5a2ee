import { setTimeout as delay } from 'node:timers/promises';
import type { TestController } from '../support/controller.js';
import { isThere, type Entry, type Ledger, type Operation } from './ledger.js';
import { pick } from './random.js';

/** A write is carried out, or nobody knows, or it did not even leave. */
type Outcome =
  | { readonly is: 'done'; readonly id: string | undefined }
  | { readonly is: 'open' }
  | { readonly is: 'unsent' };

interface Write {
  readonly operation: Operation;
  readonly id: string | undefined;
  readonly content: object;
}

export type Door = (api: TestController, write: Write) => Promise<Outcome>;

/** Refusals that say that the database or the controller is away. */
const isAway = (status: number): boolean => status >= 500;

const METHODS = { create: 'POST', update: 'PATCH', delete: 'DELETE' } as const;

export const restDoor: Door = async (api, { operation, id, content }) => {
  const path = id === undefined ? '/services' : `/services/${id}`;
  const body = operation === 'delete' ? undefined : content;
  const { status, text, body: answer } = await api.rest(METHODS[operation], path, body);
  if (isAway(status)) return { is: 'open' };
  if (status >= 300) throw new Error(`${operation} ${path}: ${text}`);
  return { is: 'done', id: id ?? (answer.data as { id: string }).id };
};

const MUTATIONS = {
  create: 'mutation ($input: CreateServiceInput!) { createService(input: $input) { id } }',
  update:
    'mutation ($id: ID!, $input: UpdateServiceInput!) { updateService(id: $id, input: $input) { id } }',
  delete: 'mutation ($id: ID!) { deleteService(id: $id) }',
} as const;

export const graphDoor: Door = async (api, { operation, id, content }) => {
  const input = operation === 'delete' ? {} : { input: content };
  const variables = { ...(id !== undefined && { id }), ...input };
  const { data, errors } = await api.graphql(MUTATIONS[operation], variables);
  const [error] = errors ?? [];
  if (error && isAway(Number(error.extensions.status))) return { is: 'open' };
  if (error) throw new Error(`${operation}: ${JSON.stringify(error)}`);
  return { is: 'done', id: id ?? (data as { createService: { id: string } }).createService.id };
};

/** Connections that are not taken, or end without an answer. */
function lost(error: unknown): Outcome {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ECONNREFUSED') return { is: 'unsent' };
  if (code === 'ECONNRESET' || code === 'EPIPE' || message === 'aborted') return { is: 'open' };
  throw error;
}

const MAX_AT_ONCE = 12;
const RETRY_MS = 50;

/** Writes to entities of its own, one after the other. */
export class Writer {
  #own: Entry[] = [];
  #count = 0;

  constructor(
    private readonly name: string,
    private readonly door: Door,
    private readonly api: TestController,
    private readonly ledger: Ledger,
    private readonly random: () => number,
  ) {}

  async writeUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) if (!(await this.#writeAny())) await delay(RETRY_MS);
  }

  /** Whether a new entity is acknowledged. */
  create(): Promise<boolean> {
    this.#count += 1;
    const entry = this.ledger.add(`${this.name} ${String(this.#count)}`);
    this.#own.push(entry);
    return this.#write(entry, 'create');
  }

  #forget(entry: Entry): void {
    this.ledger.forget(entry);
    this.#own = this.#own.filter((own) => own !== entry);
  }

  #writeAny(): Promise<boolean> {
    this.#own = this.#own.filter((entry) => !entry.isDeleted);
    const known = this.#own.filter((entry) => isThere(entry) && !entry.unanswered);
    if (known.length === 0 || (known.length < MAX_AT_ONCE && this.random() < 0.3))
      return this.create();
    const operation = known.length > 2 && this.random() < 0.3 ? 'delete' : 'update';
    return this.#write(pick(this.random, known), operation);
  }

  async #write(entry: Entry, operation: Operation): Promise<boolean> {
    const mark = operation === 'delete' ? entry.mark : entry.mark + 1;
    this.ledger.touch(entry);
    const content = contentOf(mark, operation === 'create' ? entry.name : undefined);
    const write = { operation, id: entry.id, content };
    const outcome = await this.door(this.api, write).catch(lost);
    if (outcome.is !== 'done') {
      if (outcome.is === 'open') this.ledger.leaveOpen(entry, operation, mark);
      else if (operation === 'create') this.#forget(entry);
      return false;
    }
    entry.id = outcome.id;
    this.ledger.acknowledge(entry, operation, mark);
    return true;
  }
}

/** The mark in three columns: a write that is there in part shows. */
const contentOf = (mark: number, name: string | undefined): object => ({
  ...(name !== undefined && { name, encryptionRequired: true }),
  maxIdleTimeMillis: mark,
  tags: { mark },
  roleAttributes: [`mark-${String(mark)}`],
});
