import type { JsonObject } from '../../../base/row.js';
import { readerOf, type Reader } from '../../../base/schema-reader.js';
import { anyObject, type schemaOf, type ValueOfSchema } from '../../../base/typed-schema.js';

const readBody = readerOf(anyObject());

/**
 * Makes the reader of settings of some members; faults are 400 with the field. With `current` the input is a partial
 * change: absent members stay. Stored values are not checked again: rules may have become stricter since.
 */
export function settingsReader<S extends ReturnType<typeof schemaOf>>(
  schema: S,
): (body: unknown, current: JsonObject | undefined) => ValueOfSchema<S> {
  const readers = Object.entries(schema.shape).map(([name, member]): [string, Reader<unknown>] => [
    name,
    readerOf<unknown>(member),
  ]);
  return (body, current) => {
    const sent = readBody(body);
    const settings = readers.map(([name, read]) => [
      name,
      sent[name] === undefined && current ? current[name] : read(sent[name], name),
    ]);
    // Each member has the type that its schema declares.
    return Object.fromEntries(settings) as ValueOfSchema<S>;
  };
}
