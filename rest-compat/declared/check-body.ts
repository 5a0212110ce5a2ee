import { invalidField } from '../../src/base/errors.js';
import { operationWords } from '../../src/base/fault-words.js';
import { isObject, type JsonObject } from '../../src/base/row.js';
import { validatorOf, type Validator } from '../../src/base/validator.js';
import type { Schema } from '../../src/kernel/declare/rest-schema.js';
import { MAX_INT, MIN_INT } from './graph-schemas.js';
import { noObject } from '../engine/read-body.js';

/**
 * Gives the members of a body for the arguments of an operation; throws the field error of the
 * first fault.
 */
export type BodyCheck = (body: unknown) => unknown;

const words = { words: operationWords };

/** @param isLenient members with a wrong type count as not sent */
export function bodyCheck(schema: Schema, isLenient: boolean): BodyCheck {
  const validate = validatorOf(withBounds(schema), words);
  if (schema.type === 'array') return (body) => checkedList(validate, schema.items as Schema, body);
  const conforming = isLenient ? conformingMembers(schema) : sentMembers;
  return (body) => {
    const members = conforming(schema, isObject(body) ? body : {});
    // A required member is missed first: its name helps more.
    validate(members);
    if (!isLenient && !isObject(body) && (body ?? null) !== null) throw noObject();
    return members;
  };
}

/** Documents leave out the bounds that all integers have. */
function withBounds(schema: Schema): Schema {
  const { type, items, properties } = schema;
  if (type === 'integer') return { minimum: MIN_INT, maximum: MAX_INT, ...schema };
  return {
    ...schema,
    ...(items === undefined ? {} : { items: withBounds(items as Schema) }),
    ...(properties === undefined ? {} : { properties: boundedMembers(properties as JsonObject) }),
  };
}

const boundedMembers = (properties: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, withBounds(member as Schema)]),
  );

/** A text beside JSON, such as a request as PEM, is the body as it is. */
export function textOrMembers(schema: Schema): BodyCheck {
  const check = bodyCheck(schema, false);
  return (body) => (typeof body === 'string' ? body : check(body));
}

function checkedList(validate: Validator, items: Schema, body: unknown): unknown {
  if ((body ?? null) === null) return undefined;
  if (!Array.isArray(body)) throw invalidField('body', 'the body must be a list', '');
  validate(body);
  return body.map((item: unknown) => (isObject(item) ? sentMembers(items, item) : item));
}

/** The known members that are not null; unknown members of later clients are ignored. */
const sentMembers = ({ properties }: Schema, body: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(properties as Record<string, Schema>)
      .filter(([name]) => (body[name] ?? null) !== null)
      .map(([name, schema]) => [name, withoutUnknown(schema, body[name])]),
  );

/** An object without the members that its schema does not name; a null inside means something. */
function withoutUnknown({ properties }: Schema, value: unknown): unknown {
  if (!isObject(properties) || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => Object.hasOwn(properties, name))
      .map(([name, inner]) => [name, withoutUnknown(properties[name] as Schema, inner)]),
  );
}

function conformingMembers({ properties }: Schema): typeof sentMembers {
  const checks = new Map(
    Object.entries(properties as Record<string, Schema>).map(
      ([name, schema]) => [name, validatorOf(withBounds(schema), words)] as const,
    ),
  );
  return (schema, body) =>
    Object.fromEntries(
      Object.entries(sentMembers(schema, body)).filter(([name, value]) =>
        conforms(checks.get(name), value),
      ),
    );
}

function conforms(validate: Validator | undefined, value: unknown): boolean {
  try {
    validate?.(value);
    return true;
  } catch {
    return false;
  }
}
