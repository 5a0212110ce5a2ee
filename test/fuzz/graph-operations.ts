import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { catalog } from '../../src/resources/index.js';
import { shapeOfInput, type Shape } from './shapes.js';

/** A field of the graph with what its arguments may be. */
export interface GraphField {
  readonly name: string;
  readonly args: readonly GraphArgument[];
  readonly type: GraphQLNamedType;
  readonly isList: boolean;
}

export interface GraphArgument {
  readonly name: string;
  /** As it is declared, for variables. */
  readonly type: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
}

export type RootKind = 'query' | 'mutation' | 'subscription';

export interface RootField extends GraphField {
  readonly root: RootKind;
  /** What its `id` is of, and what a created entity is one of. */
  readonly idsOf: string;
}

const file = new URL('../../schema/schema.graphql', import.meta.url);
const schema: GraphQLSchema = buildSchema(readFileSync(file, 'utf8'));

const fieldsByType = new Map<string, readonly GraphField[]>();

/** The fields of an object type; none of any other. */
export function fieldsOf(type: GraphQLNamedType): readonly GraphField[] {
  if (!isObjectType(type)) return [];
  const known = fieldsByType.get(type.name) ?? Object.values(type.getFields()).map(fieldOf);
  fieldsByType.set(type.name, known);
  return known;
}

const fieldOf = ({ name, args, type }: GraphQLField<unknown, unknown>): GraphField => ({
  name,
  args: args.map(argumentOf),
  type: getNamedType(type),
  isList: isListed(type),
});

const argumentOf = ({ name, type, defaultValue }: GraphQLArgument): GraphArgument => ({
  name,
  type: String(type),
  shape: shapeOfInput(type),
  isRequired: isNonNullType(type) && defaultValue === undefined,
});

const isListed = (type: GraphQLOutputType): boolean =>
  isNonNullType(type) ? isListed(type.ofType) : isListType(type);

export const isComposite = (type: GraphQLNamedType): boolean => isCompositeType(type);

/** Every operation that a document may ask for. */
export const rootFields = (): RootField[] =>
  (['query', 'mutation', 'subscription'] as const).flatMap((root) => {
    const type = {
      query: schema.getQueryType(),
      mutation: schema.getMutationType(),
      subscription: schema.getSubscriptionType(),
    }[root];
    return type ? fieldsOf(type).map((field) => ({ ...field, root, idsOf: kindOf(field) })) : [];
  });

/** What requests for it are counted under. */
export const operationOf = ({ root, name }: RootField): string =>
  `${root === 'subscription' ? 'stream' : 'graphql'} ${name}`;

const OWN_IDS: Readonly<Record<string, string>> = {
  currentAuthenticator: 'own-authenticators',
  extendCurrentAuthenticator: 'own-authenticators',
  confirmCurrentAuthenticator: 'own-authenticators',
  replaceCurrentAuthenticator: 'own-authenticators',
  updateCurrentAuthenticator: 'own-authenticators',
  deleteCurrentApiSessionCertificate: 'session-certificates',
  deleteCurrentSession: 'sessions',
};

/** By its type, or by its name: `deleteIdentity` gives an id only. */
function kindOf({ name, type }: GraphField): string {
  const own = OWN_IDS[name];
  if (own !== undefined) return own;
  const meant = catalog.find(type.name) ?? catalog.find(name.replace(/^[a-z]+/, ''));
  return meant?.options.path ?? 'identities';
}
