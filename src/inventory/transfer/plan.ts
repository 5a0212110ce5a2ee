import { setImmediate } from 'node:timers/promises';
import type { RequestContext } from '../../kernel/request/context.js';
import { newId } from '../../base/ids.js';
import type { Resource } from '../../kernel/declare/resource.js';
import { originOf } from '../../kernel/write/write.js';
import { Draft } from './draft.js';
import { isLeftAlone, isRouterIdentity } from './exceptions.js';
import { Faults, type Entry } from './fault.js';
import { planEntity } from './judge.js';
import type { Planning } from './planning.js';
import { readDocument } from './read-document.js';
import { toStored } from './references.js';
import { sectionsOf } from './section.js';
import { findDuplicates } from './unique.js';

/** The number of entities between two pauses for other requests. */
const TURN = 100;

/** Gives the id of a new entity. */
export type NewId = (resource: Resource, name: string) => string;

/**
 * Validates and resolves a whole document against the present network, so that the document has no
 * undiscovered faults afterwards. Each entity runs through the write pipeline on a draft in memory;
 * nothing is written and no transaction is open, however large the document.
 */
export async function planImport(
  ctx: RequestContext,
  document: unknown,
  onProgress: (done: number, total: number) => void,
  idFor: NewId = newId,
): Promise<Planning> {
  const sections = sectionsOf(ctx.catalog);
  const faults = new Faults();
  const entries = readDocument(document, sections, faults);
  const planning: Planning = {
    ctx,
    draft: new Draft(ctx, originOf(ctx)),
    outcomes: [],
    operations: [],
    last: [],
    faults,
    ignored: ignoredMembers(entries),
    faultyIds: new Set(),
    broughtByRouter: new Set(),
    uses: [],
  };
  await loadNamed(planning, entries);
  reserveIds(planning, entries, idFor);
  for (const [i, entry] of entries.entries()) {
    if (isLeftAlone(entry)) planning.outcomes.push({ entry, action: 'skipped' });
    else if (!entry.isFaulty) await planEntity(planning, entry);
    if (i % TURN !== 0) continue;
    onProgress(i, entries.length);
    await setImmediate();
  }
  await findDuplicates(planning);
  planning.operations.push(...planning.last);
  return planning;
}

/** Reads all entities that the document contains or names. */
async function loadNamed(planning: Planning, entries: readonly Entry[]): Promise<void> {
  const { catalog } = planning.ctx;
  const names = new Map<Resource, Set<string>>();
  const addName = (resource: Resource, name: string): void => {
    const targetNames = names.get(resource) ?? new Set();
    names.set(resource, targetNames.add(name));
  };
  for (const { section, name, data } of entries) {
    addName(section.resource, name);
    if (section.name === 'edgeRouters') {
      addName(catalog.resources.TransitRouter, name);
      addName(catalog.resources.Identity, name);
    }
    if (section.name === 'identities') addName(catalog.resources.EdgeRouter, name);
    toStored(data, section.references, (text, { target }) => {
      if (text.startsWith('@')) addName(catalog.get(target), text.slice(1));
      return undefined;
    });
  }
  for (const [resource, targetNames] of names) await planning.draft.load(resource, targetNames);
}

/** Reserves an id for every entity of the document before the first check. */
function reserveIds(
  { draft, ctx, faultyIds }: Planning,
  entries: readonly Entry[],
  idFor: NewId,
): void {
  const routers = ctx.catalog.resources.EdgeRouter;
  for (const entry of entries) {
    const { resource } = entry.section;
    let id = draft.idOf(resource, entry.name);
    if (id === undefined) {
      // The identity of a router has the id of the router, which is already reserved.
      const shared = isRouterIdentity(entry) ? draft.idOf(routers, entry.name) : undefined;
      id = shared ?? idFor(resource, entry.name);
      draft.reserve(resource, entry.name, id);
    }
    if (entry.isFaulty) faultyIds.add(id);
  }
}

/** Members of other exporters without a meaning for imports. */
const MEANINGLESS = new Set([
  '_links',
  'authPolicyId',
  'configTypeId',
  'disabled',
  'disabledUntil',
  'hasRouterConnection',
  'type',
  'unverifiedCertPem',
  'unverifiedFingerprint',
]);

function ignoredMembers(entries: readonly Entry[]): string[] {
  const ignored = new Map<string, string>();
  for (const { section, index, data } of entries) {
    const { attributes, edges } = section.resource;
    for (const member of Object.keys(data)) {
      const isKnown = attributes.has(member) || edges.has(member) || MEANINGLESS.has(member);
      const key = `${section.name}: ${member}`;
      if (isKnown || ignored.has(key)) continue;
      ignored.set(key, `${key} is not known (first in ${section.name}[${String(index)}])`);
    }
  }
  return [...ignored.values()];
}
