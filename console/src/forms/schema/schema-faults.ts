import { texts } from '../../texts.js';
import type { FormFaults } from '../faults.js';
import { BrokenJson, isObject, memberOf } from '../json-value.js';
import type { JsonSchema } from './json-schema.js';
import { canShow, shownPart, type Shape } from './shape.js';

interface Place {
  readonly schema: unknown;
  readonly value: unknown;
  readonly path: string;
  readonly isRequired: boolean;
}

const words = texts.form.faults;

/** Finds what is missing or of a wrong type before the controller is asked; the controller finds the rest. */
export function schemaFaults(root: JsonSchema, place: Place): FormFaults {
  const { schema, value, path, isRequired } = place;
  if (value === undefined) return isRequired ? { [path]: words.required } : {};
  if (value instanceof BrokenJson) return { [path]: words.json };
  const shown = shownPart(root, schema);
  if (!canShow(shown, value)) return { [path]: words.type };
  return value === null ? {} : faultsIn(root, shown.shape, place);
}

function faultsIn(root: JsonSchema, shape: Shape, place: Place): FormFaults {
  const { value, path } = place;
  switch (shape.control) {
    case 'object':
      return objectFaults(root, shape, place);
    case 'list':
    case 'texts':
    case 'choices':
      return listFaults(root, shape, place);
    case 'number':
      return numberFaults(shape, Number(value), path);
    default:
      return {};
  }
}

function objectFaults(
  root: JsonSchema,
  { members, requiredIn }: Extract<Shape, { control: 'object' }>,
  { value, path }: Place,
): FormFaults {
  const required = requiredIn(value);
  const memberFaults = members.map(([name, schema]) =>
    schemaFaults(root, {
      schema,
      value: memberOf(value, name),
      path: `${path}.${name}`,
      isRequired: required.has(name),
    }),
  );
  const others = Object.entries(isObject(value) ? value : {})
    .filter(([, member]) => member instanceof BrokenJson)
    .map(([name]) => ({ [`${path}.${name}`]: words.json }));
  return Object.assign({}, ...memberFaults, ...others) as FormFaults;
}

function listFaults(
  root: JsonSchema,
  shape: Extract<Shape, { least: number }>,
  { value, path }: Place,
): FormFaults {
  const entries = value as readonly unknown[];
  if (entries.length < shape.least) return { [path]: words.least(shape.least) };
  if (shape.control !== 'list') return {};
  const schema = shape.entry;
  return Object.assign(
    {},
    ...entries.map((entry, i) =>
      schemaFaults(root, { schema, value: entry, path: `${path}.${String(i)}`, isRequired: true }),
    ),
  ) as FormFaults;
}

function numberFaults(
  { isInteger, minimum, maximum }: Extract<Shape, { control: 'number' }>,
  value: number,
  path: string,
): FormFaults {
  if (isInteger && !Number.isInteger(value)) return { [path]: words.integer };
  return value < minimum || value > maximum ? { [path]: words.range(minimum, maximum) } : {};
}
