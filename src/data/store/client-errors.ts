import pg from 'pg';
import { invalidField } from '../../base/errors.js';
import { valueAtPointer } from '../../base/json-pointer.js';
import type { Attribute } from '../../kernel/declare/attribute.js';
import { columnOf, givenBy, type Resource } from '../../kernel/declare/resource.js';
import { attributeOf } from '../../kernel/declare/rows.js';

/** Runs a write. What the database refuses for its values is an error of the client. */
export async function withClientErrors<T>(
  resource: Resource,
  values: object,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw duplicate(resource, values, error) ?? tooLong(resource, error) ?? error;
  }
}

const UNIQUE_VIOLATION = '23505';
const PROGRAM_LIMIT_EXCEEDED = '54000';

/** The error for a violated unique index: it names the attribute and its value. */
function duplicate(resource: Resource, values: object, error: pg.DatabaseError): Error | undefined {
  if (error.code !== UNIQUE_VIOLATION) return undefined;
  const attributeName = attributeOfIndex(resource, error);
  const field = givenBy(resource, attributeName, values);
  const reason = `duplicate value '${String(attributeOf(values, attributeName))}' in unique index on ${resource.options.path} store`;
  const given = valueAtPointer(values, `/${field.replaceAll('.', '/')}`);
  return Object.assign(invalidField(field, reason, given), { duplicate: field });
}

/**
 * The error for a value above a third of an index page. The size counts after compression, so no
 * fixed length is checked.
 */
function tooLong(resource: Resource, error: pg.DatabaseError): Error | undefined {
  if (error.code !== PROGRAM_LIMIT_EXCEEDED) return undefined;
  const field = attributeOfIndex(resource, error);
  return invalidField(field, `${field} is too long for its index`, '');
}

/** The attribute of the index that the error names. */
function attributeOfIndex(resource: Resource, { constraint }: pg.DatabaseError): string {
  const attributes = [...resource.attributes.values()];
  const index = (a: Attribute): string =>
    a.name === 'id' ? `${resource.table}_pkey` : `${resource.table}_${columnOf(a)}_key`;
  return attributes.find((a) => constraint === index(a))?.name ?? 'name';
}
