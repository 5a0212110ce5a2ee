import type { ModelChange } from '../../access/analysis/index.js';
import { ApiError, failure, invalidField, placedAt } from '../../base/errors.js';
import { checkChosenId } from '../../base/ids.js';
import { nounWithArticle, upperFirst } from '../../base/names.js';
import { isObject, type JsonObject } from '../../base/row.js';
import { inputNameOf } from '../../kernel/declare/attribute.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { may, permit } from '../../kernel/declare/permissions.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { PendingChange, Transaction } from '../../kernel/request/store-port.js';
import {
  changeIn,
  createIn,
  currentRow,
  nextRevision,
  originOf,
  patchIn,
  removeIn,
} from '../../kernel/write/write.js';
import { refuseTooMany } from './bounds.js';
import { ListedCreations } from './listed-creations.js';
import { ListedDeletions } from './listed-deletions.js';

/*
 * Lists of changes, by the rules of real writes. A simulation and an application of a list run the
 * same code in a transaction; only the end of the transaction differs.
 */

/** A change of a list, made in a transaction. */
export interface WrittenChange {
  readonly resource: Resource;
  readonly operation: ModelChange['operation'];
  readonly id: string;
  /** The change records that it made, with those of dependent entities. */
  readonly records: readonly PendingChange[];
}

/**
 * Gives the result of changes: a transaction makes them and is then rolled back.
 * @throws ApiError as the writes would; fields begin with the place, as in `changes[2].input.name`
 */
export async function rehearse(
  ctx: RequestContext,
  changes: readonly ModelChange[],
): Promise<readonly PendingChange[]> {
  return (await rehearseEach(ctx, changes)).flatMap(({ records }) => records);
}

/** Like `rehearse`, and gives the result of each change. */
export async function rehearseEach(
  ctx: RequestContext,
  changes: readonly ModelChange[],
): Promise<readonly WrittenChange[]> {
  refuseTooMany('changes', changes);
  for (const { type } of changes) {
    permit(ctx, may(resourceOf(ctx.catalog, type).options.permission, 'read'));
  }
  let written: readonly WrittenChange[] = [];
  await ctx.store.rehearse(originOf(ctx), async (tx) => {
    written = await writeChangesIn(ctx, tx, changes);
  });
  return written;
}

export const resourceOf = (catalog: Catalog, type: ModelChange['type']): Resource =>
  catalog.get(upperFirst(type));

/**
 * Makes the changes in their order, but a creation that an earlier change names before that one, and a
 * deletion before that of an entity that it holds back. Where a signer and an auth policy name each
 * other, the signer gets its policy after both are made, and loses it before both are deleted. The
 * caller has checked the permissions.
 */
export async function writeChangesIn(
  ctx: RequestContext,
  tx: Transaction,
  changes: readonly ModelChange[],
): Promise<readonly WrittenChange[]> {
  const list = new WrittenList(ctx, tx, changes);
  for (const i of changes.keys()) await list.write(i);
  return list.written;
}

/** A member of a change that is set once the entity that it names is made. */
interface LateMember {
  readonly index: number;
  readonly member: string;
}

class WrittenList {
  readonly written: WrittenChange[] = [];
  readonly #creations: ListedCreations;
  readonly #deletions: ListedDeletions;
  readonly #begun = new Set<number>();
  /** By the index of the creation. */
  readonly #late = new Map<number, LateMember[]>();
  /** By the index of a deletion: the records of the references that its entity lost before. */
  readonly #released = new Map<number, readonly PendingChange[]>();

  constructor(
    private readonly ctx: RequestContext,
    private readonly tx: Transaction,
    private readonly changes: readonly ModelChange[],
  ) {
    this.#creations = new ListedCreations(ctx.catalog, changes);
    this.#deletions = new ListedDeletions(ctx.catalog, changes);
  }

  async write(index: number): Promise<void> {
    const change = this.changes[index];
    if (!change || this.#begun.has(index)) return;
    this.#begun.add(index);
    const late = await this.#writeNamed(index);
    const { operation } = change;
    const resource = resourceOf(this.ctx.catalog, change.type);
    if (operation === 'delete' && change.id) await this.#writeHoldingBack(resource, change.id);
    const { result: id, records } = await this.#recorded(index, () =>
      writeIn(this.ctx, this.tx, withoutMembers(change, late)),
    );
    const released = this.#released.get(index) ?? [];
    this.written[index] = { resource, operation, id, records: [...released, ...records] };
    for (const { index: earlier, member } of this.#late.get(index) ?? []) {
      await this.#complete(earlier, member);
    }
  }

  /** Writes the creations that a change names, and gives the members that must wait for theirs. */
  async #writeNamed(index: number): Promise<readonly string[]> {
    const late: string[] = [];
    for (const { creation, optional } of this.#creations.namedBy(index)) {
      if (this.written[creation]) continue;
      const isMutual = this.#creations.namedBy(creation).some((other) => other.creation === index);
      if (isMutual && optional !== undefined) {
        late.push(optional);
        this.#late.set(creation, [
          ...(this.#late.get(creation) ?? []),
          { index, member: optional },
        ]);
      } else await this.write(creation);
    }
    return late;
  }

  /** Writes the deletions before which an entity can not be deleted. */
  async #writeHoldingBack(resource: Resource, id: string): Promise<void> {
    for (const holding of await this.#deletions.holdingBack(this.tx, resource, id)) {
      const { deletion, optional } = holding;
      if (optional === undefined) await this.write(deletion);
      else await this.#release(deletion, optional);
    }
  }

  /** Takes a reference away from an entity that is deleted later, since it may be named itself. */
  async #release(index: number, attribute: string): Promise<void> {
    const { type, id } = this.changes[index] ?? {};
    if (!type || !id) return;
    const resource = resourceOf(this.ctx.catalog, type);
    const { records } = await this.#recorded(index, async () => {
      const row = await currentRow(this.tx, resource, id);
      await patchIn(this.tx, resource, row, { [attribute]: null });
    });
    this.#released.set(index, [...(this.#released.get(index) ?? []), ...records]);
  }

  async #complete(index: number, member: string): Promise<void> {
    const change = this.changes[index];
    const written = this.written[index];
    if (!change || !written) return;
    const { resource, id } = written;
    const value = inputOf(resource, change.input)[member];
    const { records } = await this.#recorded(index, () =>
      changeIn(this.ctx, this.tx, resource, 'update', id, { [member]: value }),
    );
    this.written[index] = { ...written, records: [...written.records, ...records] };
  }

  async #recorded<T>(
    index: number,
    work: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly records: readonly PendingChange[] }> {
    const recordsBefore = this.tx.changes.length;
    const result = await work().catch((error: unknown) => {
      throw withPlace(error, placeOf(index));
    });
    return { result, records: this.tx.changes.slice(recordsBefore) };
  }
}

function withoutMembers(change: ModelChange, members: readonly string[]): ModelChange {
  if (members.length === 0 || !isObject(change.input)) return change;
  const remaining = Object.entries(change.input).filter(([name]) => !members.includes(name));
  return { ...change, input: Object.fromEntries(remaining) };
}

/** The record of a change on its own entity, from the state before it up to the one that it leaves. */
export function ownRecord({
  resource,
  operation,
  id,
  records,
}: WrittenChange): PendingChange | undefined {
  const own = records.filter((record) => record.resource === resource.name && record.id === id);
  const verb = operation === 'replace' ? 'update' : operation;
  const first = own.find((record) => record.operation === verb);
  const last = own.at(-1);
  if (!first || !last) return undefined;
  const { before = first.before } = own[0] ?? {};
  return { ...first, before, revision: last.revision, after: last.after };
}

/** The place of a change in its list, as errors name it. */
export const placeOf = (index: number): string => `changes[${String(index)}]`;

/** Makes one change and gives the id of its entity. */
async function writeIn(
  ctx: RequestContext,
  tx: Transaction,
  { operation, type, id, input }: ModelChange,
): Promise<string> {
  const resource = resourceOf(ctx.catalog, type);
  if (operation === 'create') {
    const preset = id ? await presetOf(ctx, tx, resource, id) : undefined;
    return createIn(ctx, tx, resource, inputOf(resource, input), preset);
  }
  if (!id) throw invalidField('id', 'id is required', '');
  if (operation === 'delete') await removeIn(ctx, tx, resource, id);
  else await changeIn(ctx, tx, resource, operation, id, inputOf(resource, input));
  return id;
}

/** Gives the id and the first revision of a new entity whose id the client chose. */
async function presetOf(
  ctx: RequestContext,
  tx: Transaction,
  resource: Resource,
  id: string,
): Promise<{ readonly id: string; readonly revision: number }> {
  checkChosenId('id', id);
  const holders = [resource, ...kinOf(ctx.catalog, resource)];
  // They do not wait for each other.
  const [revision, ...held] = await Promise.all([
    nextRevision(tx, resource, id),
    ...holders.map((holder) => tx.hold(holder, [id])),
  ]);
  const holder = holders.find((_, i) => held[i]?.length);
  if (holder) throw invalidField('id', `there is ${nounWithArticle(holder.name)} with this id`, id);
  return { id, revision };
}

/**
 * The other resources with which a resource shares its ids: an entity that the controller keeps with
 * a router has the id of the router.
 */
function kinOf(catalog: Catalog, resource: Resource): Resource[] {
  const { keptWith } = resource.options;
  const table = keptWith && catalog.get(keptWith.resource).table;
  return catalog
    .stored()
    .filter((other) => other.table === table || other.options.keptWith?.resource === resource.name);
}

/** Refuses unknown members: a misspelt member would change the meaning of the change. */
function inputOf(resource: Resource, input: unknown): JsonObject {
  if (!isObject(input)) throw invalidField('input', 'must be an object', input);
  const memberNames = new Set([...resource.attributes.values()].map(inputNameOf));
  for (const name of Object.keys(input)) {
    if (!memberNames.has(name)) {
      throw invalidField(name, `a ${resource.label} has no such attribute`, input[name]);
    }
  }
  return input;
}

const CHANGE_MEMBERS = new Set(['id', 'input']);

function withPlace(error: unknown, place: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, detail } = error;
  if (detail?.kind === 'field') {
    const field = CHANGE_MEMBERS.has(detail.field) ? detail.field : `input.${detail.field}`;
    return placedAt(place, new ApiError(code, { ...detail, field: `${place}.${field}` }));
  }
  // Without a detail, the message is that of the code, which the new error has as well.
  const message = detail ? `${place}: ${detail.message}` : place;
  return placedAt(place, failure(code, message));
}
