import type { JsonObject } from '../../base/row.js';

/** A JSON schema as OpenAPI 3.0 knows it. */
export type Schema = Readonly<JsonObject>;

export const STRING: Schema = { type: 'string' };
export const INTEGER: Schema = { type: 'integer' };
export const BOOLEAN: Schema = { type: 'boolean' };
export const TIME: Schema = { type: 'string', format: 'date-time' };

export const listOf = (items: Schema): Schema => ({ type: 'array', items });

/** Without the second argument all members are required. */
export const objectOf = (
  properties: Readonly<Record<string, Schema>>,
  required = Object.keys(properties),
): Schema => ({
  type: 'object',
  ...(required.length > 0 ? { required } : {}),
  properties,
});

/** Refers to a shared schema by its name. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** The schema of an object, with other schemas for some of its members. */
export const withProperties = (
  schema: Schema,
  properties: Readonly<Record<string, Schema>>,
): Schema => ({ ...schema, properties: { ...(schema.properties as JsonObject), ...properties } });
