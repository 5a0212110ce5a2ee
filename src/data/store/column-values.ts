import { isStored } from '../../kernel/declare/attribute.js';
import { withFollowing, type Resource } from '../../kernel/declare/resource.js';
import { columnName } from '../../kernel/declare/table.js';
import { jsonValue, listValue, type ModelData } from '../prisma/model-values.js';

const JSON_KINDS = new Set(['map', 'json', 'object', 'objects']);

export type NamedValue = readonly [name: string, value: unknown];

/** These values and those that follow from them, by the names of their attributes, without absent ones. */
export const presentValues = (resource: Resource, values: object): readonly NamedValue[] =>
  Object.entries(withFollowing(resource, values)).filter(([, value]) => value !== undefined);

const isJson = (resource: Resource, [name, value]: NamedValue): boolean =>
  JSON_KINDS.has(kindOf(resource, name)) && value !== null;

/** The columns of these values, with their values for the driver. */
export const columnValues = (
  resource: Resource,
  values: readonly NamedValue[],
): readonly NamedValue[] =>
  values.map((named) => {
    const [name, value] = named;
    return [columnName(name), isJson(resource, named) ? JSON.stringify(value) : value];
  });

/** These values as the data of a model. */
export const modelData = (resource: Resource, values: readonly NamedValue[]): ModelData =>
  Object.fromEntries(
    values.map(([name, value]) => [name, modelValue(kindOf(resource, name), value)]),
  );

function modelValue(kind: string, value: unknown): unknown {
  if (JSON_KINDS.has(kind)) return jsonValue(value);
  return Array.isArray(value) ? listValue(value) : value;
}

/** These values as the database gives them back. */
export const asReadAgain = (resource: Resource, values: readonly NamedValue[]): object =>
  Object.fromEntries(
    values.map((named) => {
      const [name, value] = named;
      const readValue: unknown = isJson(resource, named)
        ? JSON.parse(JSON.stringify(value))
        : value;
      return [name, readValue];
    }),
  );

function kindOf({ name, attributes, options }: Resource, of: string): string {
  if (of in (options.discriminator ?? {})) return 'bool';
  const attribute = attributes.get(of);
  if (!attribute || !isStored(attribute)) throw new Error(`${name} stores no ${of}`);
  return attribute.type.kind;
}
