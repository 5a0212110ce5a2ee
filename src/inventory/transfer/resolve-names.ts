import type { JsonObject } from '../../base/row.js';
import { isSent } from '../../base/typed-schema.js';
import { placeOf, type Entry } from './fault.js';
import type { Planning } from './planning.js';
import { toStored } from './references.js';
import type { Reference } from './section.js';

export interface Resolved {
  /** The values by attribute, without references to unknown names. */
  readonly stored: JsonObject;
  /** Members of the document with reported faults. */
  readonly refused: ReadonlySet<string>;
  /** Whether it names an entity with faults. */
  readonly namesFaulty: boolean;
}

/** Replaces the names in a document by ids of this network, and reports unknown names. */
export function resolveNames(planning: Planning, entry: Entry): Resolved {
  const { draft, ctx, faults, faultyIds } = planning;
  const refused = new Set<string>();
  const state = { faulty: false };
  const refuse = (field: string, reason: string): void => {
    refused.add(memberOf(field));
    faults.add(placeOf(entry), field, reason);
  };
  const stored = toStored(entry.data, entry.section.references, (text, { target, form }, field) => {
    const resource = ctx.catalog.get(target);
    const id = text.startsWith('@') ? draft.idOf(resource, text.slice(1)) : undefined;
    if (id !== undefined) {
      if (faultyIds.has(id)) state.faulty = true;
      return form === 'roles' ? `@${id}` : id;
    }
    const reason = text.startsWith('@')
      ? `no ${resource.label} is called ${quoted(text.slice(1))}`
      : `must be @ and the name of a ${resource.label}, is ${quoted(text)}`;
    refuse(field, reason);
    return undefined;
  });
  for (const { stored: path, written } of entry.section.references.filter(isForeignId(entry))) {
    refuse(path.join('.'), `is an id of another network; give ${written.join('.')}: "@name"`);
  }
  return { stored, refused, namesFaulty: state.faulty };
}

/** Gives the first member of a path. */
export const memberOf = (field: string): string => field.split('.')[0] ?? field;

/** An id of another network in place of a name: dropping it would change the meaning. */
const isForeignId =
  ({ data }: Entry) =>
  ({ form, stored: [attribute = ''], written: [member = ''] }: Reference): boolean =>
    form === 'one' && attribute !== member && !isSent(data[member]) && isFilled(data[attribute]);

const isFilled = (value: unknown): boolean => isSent(value) && value !== '';

const quoted = (text: string): string => JSON.stringify(text);
