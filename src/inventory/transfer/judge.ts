import type { InputVerb } from '../../kernel/declare/attribute.js';
import { newId } from '../../base/ids.js';
import type { JsonObject } from '../../base/row.js';
import { givenBy } from '../../kernel/declare/resource.js';
import { attributeOf, present, type NewRowOf, type ValuesOf } from '../../kernel/declare/rows.js';
import { rehearseIn } from '../../kernel/write/write.js';
import type { DisabledState } from '../../trust/auth/index.js';
import { disabledChange } from './disabled.js';
import { identityOfRouter, isRouterIdentity, withoutPowers } from './exceptions.js';
import { placeOf, type Entry } from './fault.js';
import {
  changedMembers,
  inputFault,
  inputOf,
  isSame,
  shapeFaults,
  writtenField,
  type InputFault,
} from './input.js';
import type { Action, Planning } from './planning.js';
import { memberOf, resolveNames } from './resolve-names.js';
import { indexFault } from './storable-entities.js';

/** An entity of the document during its check. */
interface Case {
  readonly entry: Entry;
  readonly id: string;
  /** The present row; undefined for a new entity. */
  readonly current: NewRowOf<string> | undefined;
  /** The values in the document, by attribute. */
  readonly stored: JsonObject;
}

/** Finds the faults of one entity, or the operation that it needs. */
export async function planEntity(planning: Planning, entry: Entry): Promise<void> {
  const { draft, faultyIds } = planning;
  const { section } = entry;
  const id = draft.idOf(section.resource, entry.name) ?? reserveAgain(planning, entry);
  const current = draft.row(section.resource, id);
  const { stored, refused, namesFaulty } = resolveNames(planning, entry);
  const documentValues =
    attributeOf(current ?? {}, 'isDefaultAdmin') === true ? withoutPowers(stored) : stored;
  const input = inputOf(section, documentValues, current);
  const shapeFaultList = shapeFaults(section.resource, current ? 'replace' : 'create', input)
    .map((fault) => inDocument(entry, fault))
    .filter(({ field }) => field === null || !refused.has(memberOf(field)));
  refuse(planning, entry, id, shapeFaultList);
  const hasNoFaults =
    refused.size + shapeFaultList.length === 0 && !namesFaulty && !faultyIds.has(id);
  if (hasNoFaults && isPossible(planning, entry, id)) {
    await planByRules(planning, { entry, id, current, stored: documentValues }, input);
  } else faultyIds.add(id);
}

/** Reserves the name again when it belonged to a router's identity that this import deletes. */
function reserveAgain({ draft }: Planning, { section, name }: Entry): string {
  const id = newId();
  draft.reserve(section.resource, name, id);
  return id;
}

async function planByRules(planning: Planning, subject: Case, input: JsonObject): Promise<void> {
  try {
    const values = await rehearse(planning, subject, input);
    if (values) planOperation(planning, subject, input, values);
  } catch (error) {
    refuse(planning, subject.entry, subject.id, [inputFault(error)]);
  }
}

function refuse(
  { faults, faultyIds }: Planning,
  entry: Entry,
  id: string,
  found: readonly InputFault[],
): void {
  if (found.length > 0) faultyIds.add(id);
  for (const { field, reason } of found) faults.add(placeOf(entry), field, reason);
}

/** Checks the rules between routers and their identities that are no references. */
function isPossible(planning: Planning, entry: Entry, id: string): boolean {
  const { draft, ctx, faults } = planning;
  if (isRouterIdentity(entry) && !draft.row(ctx.catalog.resources.Identity, id)) {
    const reason = `no tunneler-enabled edge router is called ${JSON.stringify(entry.name)}`;
    faults.add(placeOf(entry), 'typeId', reason);
    return false;
  }
  if (entry.section.name !== 'edgeRouters') return true;
  if (draft.idOf(ctx.catalog.resources.TransitRouter, entry.name) !== undefined) {
    faults.add(placeOf(entry), 'name', 'is already that of a transit router');
    return false;
  }
  const identity = draft.idOf(ctx.catalog.resources.Identity, entry.name);
  if (entry.data.isTunnelerEnabled !== true || identity === undefined || identity === id)
    return true;
  const reason = 'gives the router an identity of its name, which another identity has';
  faults.add(placeOf(entry), 'isTunnelerEnabled', reason);
  return false;
}

/** Gives the values that the pipeline would store; undefined after reporting a refusal. */
async function rehearse(
  planning: Planning,
  subject: Case,
  input: JsonObject,
): Promise<object | undefined> {
  const { ctx, draft } = planning;
  const { entry, id, current } = subject;
  const { resource } = entry.section;
  const run = (verb: InputVerb, row: NewRowOf<string>): Promise<object> =>
    rehearseIn(ctx, draft, resource, verb, row, input);
  const verb = current ? 'replace' : 'create';
  try {
    const values = await run(verb, current ?? { id });
    const ruleFaults = [
      ...tooLong(entry, values),
      ...(current ? await fixedFaults(subject, current, () => run('create', { id })) : []),
    ];
    if (ruleFaults.length === 0) return values;
    refuse(planning, entry, id, ruleFaults);
  } catch (error) {
    refuse(planning, entry, id, [ofRules(entry, inputFault(error))]);
  }
  return undefined;
}

const inDocument = ({ section }: Entry, { field, reason }: InputFault): InputFault => ({
  field: field === null ? null : writtenField(section, field),
  reason,
});

/** Converts faults of config data, whose fields are paths inside the data. */
function ofRules(entry: Entry, fault: InputFault): InputFault {
  const { field } = fault;
  if (entry.section.name !== 'configs' || field === null || field === 'data') {
    return inDocument(entry, fault);
  }
  return { ...fault, field: field === '(root)' ? 'data' : `data.${field}` };
}

function tooLong({ section }: Entry, values: object): InputFault[] {
  const lists = section.attributes.filter(({ type }) =>
    ['set', 'references', 'roles'].includes(type.kind),
  );
  return ['name', ...section.unique, ...lists.map(({ name }) => name)].flatMap((name) => {
    const reason = indexFault(attributeOf(values, name));
    return reason === undefined ? [] : [{ field: writtenField(section, name), reason }];
  });
}

async function fixedFaults(
  { entry: { section }, stored }: Case,
  current: object,
  create: () => Promise<object>,
): Promise<InputFault[]> {
  const presentFixed = section.fixed.filter((name) => stored[name] !== undefined);
  if (presentFixed.length === 0) return [];
  const created = await create();
  return presentFixed
    .filter((name) => !isSame(attributeOf(created, name), attributeOf(current, name)))
    .map((name) => ({
      field: writtenField(section, name),
      reason: 'can not be changed: it is another one in this network',
    }));
}

/** Plans the operation, and adds its result to the draft. */
function planOperation(planning: Planning, subject: Case, input: JsonObject, values: object): void {
  const { draft, ctx, outcomes, operations, broughtByRouter } = planning;
  const { entry, id, current } = subject;
  const { section } = entry;
  const state = stateOf(planning, subject);
  const after = { ...current, ...values, id };
  const changed = current ? changedMembers(section, after, current) : Object.keys(input);
  const isSettled = current !== undefined && changed.length === 0;
  if (!isSettled || state) {
    const verb = current ? 'replace' : 'create';
    const written = isSettled ? undefined : withoutLater(planning, subject, input);
    const revision = revisionOf(planning, id, current);
    operations.push({ entry, verb, id, input: written, changed, revision, state });
  }
  const isNew = !current || broughtByRouter.has(id);
  outcomes.push({ entry, action: actionOf(isNew, isSettled && !state) });
  const routerBefore = draft.row(ctx.catalog.resources.EdgeRouter, id);
  draft.put(section.resource, { ...after, ...state });
  noteUses(planning, subject, values);
  if (section.name === 'edgeRouters') followRouter(planning, id, routerBefore);
}

/** Identities that come with routers of the document have none yet. */
function revisionOf(
  { broughtByRouter }: Planning,
  id: string,
  current: object | undefined,
): number | undefined {
  if (broughtByRouter.has(id)) return undefined;
  const revision = attributeOf(current ?? {}, 'revision');
  return typeof revision === 'number' ? revision : undefined;
}

function noteUses({ uses }: Planning, { entry, id }: Case, values: object): void {
  const { resource, unique } = entry.section;
  for (const attribute of unique) {
    const value = attributeOf(values, attribute);
    const member = givenBy(resource, attribute, values);
    if (typeof value === 'string') uses.push({ entry, attribute, member, id, value });
  }
}

function actionOf(isNew: boolean, isSettled: boolean): Action {
  if (isNew) return 'created';
  return isSettled ? 'unchanged' : 'updated';
}

function stateOf({ ctx, draft }: Planning, { entry, id }: Case): DisabledState | undefined {
  if (entry.section.name !== 'identities') return undefined;
  const current: ValuesOf<'Identity'> = draft.row(ctx.catalog.resources.Identity, id) ?? {};
  return current.isDefaultAdmin ? undefined : disabledChange(entry.data, current, ctx.now());
}

/**
 * Signers and auth policies can name each other. A signer that names a later policy is written first
 * without it, and once more at the end.
 */
function withoutLater(
  planning: Planning,
  { entry, id, stored }: Case,
  input: JsonObject,
): JsonObject {
  const policyId = stored.enrollAuthPolicyId;
  if (entry.section.name !== 'externalJwtSigners' || typeof policyId !== 'string') return input;
  if (planning.draft.row(planning.ctx.catalog.resources.AuthPolicy, policyId)) return input;
  const changed = ['enrollAuthPolicyId'];
  planning.last.push({
    entry,
    verb: 'replace',
    id,
    input,
    changed,
    revision: undefined,
    state: undefined,
  });
  return { ...input, enrollAuthPolicyId: null };
}

/** Creates or deletes the identity of a tunneler-enabled router in the draft. */
function followRouter(
  { draft, ctx, broughtByRouter }: Planning,
  id: string,
  before: ValuesOf<'EdgeRouter'> | undefined,
): void {
  const { EdgeRouter, Identity } = ctx.catalog.resources;
  const router: ValuesOf<'EdgeRouter'> = draft.row(EdgeRouter, id) ?? {};
  const { name, isTunnelerEnabled } = present(router, 'name', 'isTunnelerEnabled');
  const wasEnabled = before?.isTunnelerEnabled ?? false;
  if (isTunnelerEnabled && !wasEnabled) {
    draft.put(Identity, identityOfRouter(Identity, id, name));
    broughtByRouter.add(id);
  } else if (wasEnabled && !isTunnelerEnabled) draft.drop(Identity, id);
}
