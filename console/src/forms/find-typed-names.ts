import type { Kind } from '../description/description.js';
import { isCalled, rowsOperation, type Row } from '../description/documents.js';
import type { InputField } from '../description/inputs.js';
import { ask } from '../graph/ask.js';
import type { FormValues } from './form-values.js';
import { entriesOf, isTyped, TypedName, type RoleEntry } from './typed-name.js';

/** Puts the roles of entities in the place of names that were typed. */
export async function withoutTypedNames(
  fields: readonly InputField[],
  values: FormValues,
): Promise<FormValues> {
  const members = fields.flatMap(({ name, kind }) => {
    const entries = entriesOf(values[name]);
    return kind && entries.some(isTyped) ? [{ name, kind, entries }] : [];
  });
  const named = await Promise.all(
    members.map(async ({ name, kind, entries }) => [name, await rolesOf(kind, entries)] as const),
  );
  return { ...values, ...Object.fromEntries(named) };
}

async function rolesOf(kind: Kind, entries: readonly RoleEntry[]): Promise<readonly RoleEntry[]> {
  const rows = await readCalled(
    kind,
    entries.filter(isTyped).map(({ name }) => name),
  );
  const byName = new Map(rows.map((row) => [row.name, row.id]));
  const ids = new Set(rows.map(({ id }) => id));
  const roles = entries.map((entry) => {
    if (!isTyped(entry)) return entry;
    const id = byName.get(entry.name) ?? (ids.has(entry.name) ? entry.name : undefined);
    return id === undefined ? new TypedName(entry.text, true) : `@${id}`;
  });
  return [...new Set(roles)];
}

/** Each text may be the name of one entity and the id of another; a page of a list has 500. */
const IN_A_PART = 250;

async function readCalled(kind: Kind, texts: readonly string[]): Promise<readonly Row[]> {
  const parts = Array.from({ length: Math.ceil(texts.length / IN_A_PART) }, (_, i) =>
    texts.slice(i * IN_A_PART, (i + 1) * IN_A_PART),
  );
  const results = await Promise.all(
    parts.map((part) =>
      ask(rowsOperation(kind, []), {
        filter: isCalled(part),
        sort: undefined,
        first: 2 * IN_A_PART,
        offset: 0,
      }),
    ),
  );
  return results.flatMap(({ rows }) => rows?.nodes ?? []);
}
