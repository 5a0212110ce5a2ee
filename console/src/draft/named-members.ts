import { kindOfType } from '../description/fields.js';
import { inputFields, type InputField } from '../description/inputs.js';
import { keyOf, type EntityKey } from './bases.js';
import type { DraftChange } from './draft.js';

const fieldsOfTypes = new Map<string, ReadonlyMap<string, InputField>>();

/** The member of a change, as a form edits it. */
export function fieldOf(type: string, member: string): InputField | undefined {
  const fields = fieldsOfTypes.get(type) ?? fieldsOf(type);
  fieldsOfTypes.set(type, fields);
  return fields.get(member);
}

function fieldsOf(type: string): ReadonlyMap<string, InputField> {
  const { createInput, updateInput } = kindOfType(type) ?? {};
  const fields = [createInput, updateInput].flatMap((input) =>
    input === undefined ? [] : inputFields(input, type),
  );
  return new Map(fields.map((field) => [field.name, field]));
}

/** The id of the entity that an entry of a member names. */
export function idIn({ control }: InputField, entry: unknown): string | undefined {
  if (typeof entry !== 'string') return undefined;
  if (control !== 'roles') return entry;
  return entry.startsWith('@') ? entry.slice(1) : undefined;
}

type Values = Readonly<Record<string, unknown>> | undefined;

/** All entities that changes name, each once: with the values that they set, and with the present ones. */
export const namedEntities = (
  changes: readonly DraftChange[],
  presentOf: (change: DraftChange) => Values,
): readonly EntityKey[] =>
  eachOnce(
    changes.flatMap((change) =>
      [change.input, presentOf(change)].flatMap((values) =>
        Object.entries(values ?? {}).flatMap(([member, value]) =>
          namedIn(change.type, member, value),
        ),
      ),
    ),
  );

/** The names of what the changes make, by id. An edge router makes an identity of its own id and name. */
export const createdNames = (changes: readonly DraftChange[]): ReadonlyMap<string, string> =>
  new Map(
    changes.flatMap(({ operation, id, name }) =>
      operation === 'create' && id !== undefined ? [[id, name]] : [],
    ),
  );

export const eachOnce = (keys: readonly EntityKey[]): readonly EntityKey[] => [
  ...new Map(keys.map((key) => [keyOf(key), key])).values(),
];

/** The entities that the value of a member names. */
export function namedIn(type: string, member: string, value: unknown): readonly EntityKey[] {
  const field = fieldOf(type, member);
  const { kind } = field ?? {};
  if (!field || !kind) return [];
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return entries.flatMap((entry) => {
    const id = idIn(field, entry);
    return id === undefined ? [] : [{ type: kind.type, id }];
  });
}
