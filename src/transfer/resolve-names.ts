import type { JsonObject } from '../base/row.js';
import { isSent } from '../base/schema-reader.js';
import { placeOf, type Entry } from './fault.js';
import type { Planning } from './planning.js';
import { toStored } from './references.js';
import type { Reference } from './section.js';

export interface Resolved {
  /** By attribute; mentions that lead nowhere are missing. */
  readonly stored: JsonObject;
  /** Members of the document with faults, told by now. */
  readonly refused: ReadonlySet<string>;
  /** Mentions an entity that has faults itself. */
  readonly namesFaulty: boolean;
}

/** Puts the ids of this network for the names in a document, and tells where there are none. */
export function resolveNames(planning: Planning, entry: Entry): Resolved {
  const { draft, ctx, faults, faultyIds } = planning;
  const refused = new Set<string>();
  const found = { faulty: false };
  const refuse = (field: string, reason: string): void => {
    refused.add(memberOf(field));
    faults.add(placeOf(entry), field, reason);
  };
  const stored = toStored(entry.data, entry.section.references, (text, { target, form }, field) => {
    const resource = ctx.catalog.get(target);
    const id = text.startsWith('@') ? draft.idOf(resource, text.slice(1)) : undefined;
    if (id !== undefined) {
      if (faultyIds.has(id)) found.faulty = true;
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
  return { stored, refused, namesFaulty: found.faulty };
}

/** The member that a path begins with. */
export const memberOf = (field: string): string => field.split('.')[0] ?? field;

/** An id in place of a name: leaving it out would change the meaning. */
const isForeignId =
  ({ data }: Entry) =>
  ({ form, stored: [attribute = ''], written: [member = ''] }: Reference): boolean =>
    form === 'one' && attribute !== member && !isSent(data[member]) && isFilled(data[attribute]);

const isFilled = (value: unknown): boolean => isSent(value) && value !== '';

const quoted = (text: string): string => JSON.stringify(text);
