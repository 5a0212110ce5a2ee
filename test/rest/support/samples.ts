import {
  attributesOf,
  inputNameOf,
  isWritable,
  type Attribute,
  type AttributeType,
  type InputVerb,
} from '../../../src/kernel/declare/attribute.js';
import type { Resource } from '../../../src/kernel/declare/resource.js';
import type { Row } from '../../../src/base/row.js';

/** Bodies that fit the declaration of a resource: a new resource needs nothing here. */

/** What values that can not be guessed are taken from. */
export interface SampleSource {
  /** A text that no entity has yet. */
  readonly unique: () => string;
  /** The id of some entity. */
  readonly idOf: (resource: string) => string;
}

/** A value for every member that the verb takes. */
export function sampleInput(resource: Resource, verb: InputVerb, source: SampleSource): Row {
  return members([...resource.attributes.values()], verb, source);
}

/** The members that the verb insists on, with their paths. */
export const requiredMembers = (resource: Resource, verb: InputVerb): string[] =>
  verb === 'update'
    ? []
    : requiredAt(
        [...resource.attributes.values()].filter((a) => isWritable(a, verb)),
        verb,
        '',
      );

function requiredAt(attributes: readonly Attribute[], verb: InputVerb, path: string): string[] {
  return attributes
    .filter((a) => a.required === true || (a.required === 'create' && verb === 'create'))
    .flatMap((a) => {
      const at = `${path}${inputNameOf(a)}`;
      const type = a.inputType ?? a.type;
      return type.kind === 'object'
        ? [at, ...requiredAt(attributesOf(type.of()), verb, `${at}.`)]
        : [at];
    });
}

function members(attributes: readonly Attribute[], verb: InputVerb, source: SampleSource): Row {
  return Object.fromEntries(
    attributes
      .filter((a) => isWritable(a, verb))
      .map((a) => [
        inputNameOf(a),
        a.name === 'name' ? source.unique() : sample(a.inputType ?? a.type, verb, source),
      ]),
  );
}

function sample(type: AttributeType, verb: InputVerb, source: SampleSource): unknown {
  switch (type.kind) {
    case 'text':
      return source.unique();
    case 'int':
      return Math.max(type.min ?? 1, 1);
    case 'bool':
      return false;
    case 'time':
      return new Date(Date.now() + 3_600_000).toISOString();
    case 'map':
      return type.values === undefined || type.values === 'tag' ? { place: 'here' } : {};
    case 'json':
      return {};
    case 'bytes':
      return Buffer.from('secret').toString('base64');
    case 'set':
      return ['blue', 'green'];
    case 'enum':
      return type.values[0];
    case 'object':
      return members(attributesOf(type.of()), verb, source);
    case 'objects':
      return [members(attributesOf(type.of()), verb, source)];
    case 'reference':
      return source.idOf(type.target);
    case 'references':
      return [source.idOf(type.target)];
    case 'roles':
      return ['#all'];
  }
}

/** The input without one member, which a dotted path names. */
export function without(input: Row, path: string): Row {
  const copy = structuredClone(input);
  const segments = path.split('.');
  const last = segments.pop() ?? '';
  let at = copy;
  for (const segment of segments) at = at[segment] as Row;
  Reflect.deleteProperty(at, last);
  return copy;
}
