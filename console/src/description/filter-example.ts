import { description, type Kind } from './description.js';
import { fieldsOfPage, type Shape, type ShownField } from './fields.js';

/** A condition that the list of a kind takes: on the field of names, and on another one of its own. */
export function filterExample(kind: Kind, nameField: string | undefined): string {
  const inName = nameField === undefined ? [] : [`${nameField} contains "sea"`];
  const fields = fieldsOfPage(kind.type).filter(
    ({ name, shape }) => kind.where.includes(name) && shape in EXAMPLES,
  );
  const rank = ({ shape }: ShownField): number => SHAPES.indexOf(shape);
  const [field] = [...fields].sort((a, b) => rank(a) - rank(b));
  return [...inName, ...(field ? [EXAMPLES[field.shape]?.(field) ?? ''] : [])].join(' and ');
}

/** Conditions on fields of a shape; the first one is what people look for most. */
const EXAMPLES: Readonly<Partial<Record<Shape, (field: ShownField) => string>>> = {
  enum: ({ name, type }) => `${name} = "${firstValue(type)}"`,
  boolean: ({ name }) => `${name} = false`,
  time: ({ name }) => `${name} > datetime(2026-01-01T00:00:00Z)`,
};

const SHAPES: readonly string[] = Object.keys(EXAMPLES);

const firstValue = (type = ''): string => Object.keys(description.enums[type] ?? {})[0] ?? '';
