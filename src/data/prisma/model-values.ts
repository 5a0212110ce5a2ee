import { Prisma } from './emitted/client.js';

/** The data of a row for a model: value by name of the field. */
export type ModelData = Readonly<Record<string, unknown>>;

/** JSON as Prisma takes it. */
interface JsonInput {
  toJSON(): unknown;
}

/** No JSON: null in a column. */
export const NO_JSON = Prisma.DbNull;

/** In the form in which Prisma keeps it: it would copy and check an object member by member. */
export function jsonValue(value: object): JsonInput;
export function jsonValue(value: unknown): unknown;
export function jsonValue(value: unknown): unknown {
  return value === null
    ? NO_JSON
    : { toJSON: () => ({ $type: 'Json', value: JSON.stringify(value) }) };
}

/** Prisma keeps no plan for a list that is given as it is. */
export const listValue = <T>(list: readonly T[]): { set: T[] } => ({ set: [...list] });
