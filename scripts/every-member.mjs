/**
 * `@everyMember` on a field or a fragment: it selects the members that are written, and behind them all
 * others of its type. So an answer that is shown as a whole has a new member without a change of the document.
 */
import {
  extendSchema,
  getDirectiveValues,
  getNamedType,
  GraphQLError,
  isAbstractType,
  isLeafType,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

const NAME = 'everyMember';
const DECLARATION = parse(
  `directive @${NAME}(except: [String!]! = []) on FIELD | FRAGMENT_DEFINITION`,
);

/** Gives the schema as documents see it before `withEveryMember`. */
export const withDirective = (schema) => extendSchema(schema, DECLARATION);

/** Gives a valid document with the members in the place of the directive. */
export function withEveryMember(schema, document) {
  const types = new TypeInfo(schema);
  const directive = schema.getDirective(NAME);
  const visitor = {
    Directive: ({ name }) => (name.value === NAME ? null : undefined),
    SelectionSet(selectionSet, _key, parent) {
      const values = getDirectiveValues(directive, parent);
      if (!values) return undefined;
      const { selections } = selectionSet;
      const type = types.getParentType();
      refuseUnknown(type, values.except, parent);
      // A member with an alias is written, too.
      const written = selections.flatMap(({ kind, name }) =>
        kind === Kind.FIELD ? [name.value] : [],
      );
      const others = membersOf(type, [...written, ...values.except], []);
      return { ...selectionSet, selections: [...selections, ...others] };
    },
  };
  return visit(document, visitWithTypeInfo(types, visitor));
}

function refuseUnknown(type, names, node) {
  const unknown = names.find((name) => !(name in type.getFields()));
  if (unknown === undefined) return;
  throw new GraphQLError(`Type "${type.name}" has no member "${unknown}" to leave out.`, {
    nodes: node,
  });
}

/** The values of a type as fields, and of these objects all values; no entities, and no lists that take arguments. */
function membersOf(type, without, above) {
  return Object.values(type.getFields())
    .filter(({ name, args }) => args.length === 0 && !without.includes(name))
    .map((field) => ({ name: field.name, member: getNamedType(field.type) }))
    .filter(({ member }) => !isEntity(member) && ![...above, type].includes(member))
    .map(({ name, member }) => ({
      kind: Kind.FIELD,
      name: { kind: Kind.NAME, value: name },
      ...(!isLeafType(member) && {
        selectionSet: {
          kind: Kind.SELECTION_SET,
          selections: membersOf(member, [], [...above, type]),
        },
      }),
    }));
}

const isEntity = (type) =>
  isAbstractType(type) || (!isLeafType(type) && type.getInterfaces().length > 0);
