import type { Attribute } from '../../kernel/declare/attribute.js';
import { withCommonVersions, type OperatingSystem } from './operating-system.js';
import { postureTypes } from './types/index.js';
import type {
  AddedMembers,
  ComparedValues,
  DeviceReport,
  PostureResponseType,
  PostureType,
} from './types/posture-type.js';

/*
 * The views that follow from the list of types, in the orders of the documents. Every other module
 * reads the types through these views.
 */

/** A type as far as all types are alike. */
type AnyType = PostureType<
  PostureCheckTypeId,
  Readonly<Record<string, unknown>>,
  unknown,
  ComparedValues,
  object,
  AnyResponseType
>;
export type AnyResponseType = PostureResponseType<
  string,
  Readonly<Record<string, unknown>>,
  string,
  object
>;
export type AnyReport = DeviceReport<string, Readonly<Record<string, unknown>>, object>;

type DeclaredType = (typeof postureTypes)[number];

export type PostureCheckTypeId = DeclaredType['id'];

const allTypes: readonly AnyType[] = postureTypes;

export const postureCheckTypeIds: readonly PostureCheckTypeId[] = allTypes.map(({ id }) => id);

const typesById: ReadonlyMap<string, AnyType> = new Map(allTypes.map((type) => [type.id, type]));

export const postureTypeOf = (id: string): AnyType | undefined => typesById.get(id);

/** The fields of a type, in the order in which they are checked. */
export const fieldsOf = (id: PostureCheckTypeId): AnyType['fields'] =>
  postureTypeOf(id)?.fields ?? {};

const declaredTypesById: ReadonlyMap<string, DeclaredType> = new Map(
  postureTypes.map((type) => [type.id, type]),
);

/** A union of all types: the compiler relates their rules to what is stored. */
export const declaredTypeOf = (id: PostureCheckTypeId): DeclaredType =>
  declaredTypesById.get(id) as DeclaredType;

/** As the documents name them: those that clients answer under their own names come first. */
const documentedTypes: readonly AnyType[] = [
  ...allTypes.filter(({ response }) => response),
  ...allTypes.filter(({ response }) => !response),
];

export const documentedTypeIds: readonly PostureCheckTypeId[] = documentedTypes.map(({ id }) => id);

export const postureTypeMeanings: Readonly<Record<string, string>> = Object.fromEntries(
  documentedTypes.map(({ id, meaning }) => [id, meaning]),
);

export interface PostureCheckTypeRecord {
  readonly id: PostureCheckTypeId;
  readonly name: string;
  readonly version: string;
  readonly operatingSystems: readonly OperatingSystem[];
}

/** The read-only list of posture check types. */
export const postureCheckTypes: readonly PostureCheckTypeRecord[] = allTypes.map(
  ({ id, answeredOn }) => ({
    id,
    name: id,
    version: '1',
    operatingSystems: withCommonVersions(answeredOn),
  }),
);

/** Members in the order of the documents. */
const documentedEntries = <T>(
  members: Readonly<Record<string, T>>,
  names: readonly string[] = Object.keys(members),
): [name: string, member: T][] =>
  names.flatMap((name) => {
    const member = members[name];
    return member === undefined ? [] : [[name, member]];
  });

const checkAttributesOf = ({ id, fields, documentedFields }: AnyType): Attribute[] =>
  documentedEntries(fields, documentedFields).map(([name, { type, description, filter }]) => ({
    name,
    type,
    description: `${description}, of type ${id}.`,
    nullable: true,
    omitEmpty: true,
    onlyIf: { member: 'typeId', is: [id] },
    ...(filter && { filter }),
  }));

const compareTexts = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);

/** The attributes of all types, the types in the order of their first attributes. */
export const checkAttributes: readonly Attribute[] = allTypes
  .map(checkAttributesOf)
  .toSorted(([a], [b]) => compareTexts(a?.name, b?.name))
  .flat();

const attributesFrom = (members: AddedMembers = {}): Attribute[] =>
  Object.entries(members).map(([name, member]) => ({ ...member, name }));

/** The members of posture queries beside the state of the check. */
export const queryAttributes: readonly Attribute[] = documentedTypes.flatMap(({ query }) =>
  attributesFrom(query?.members),
);

/** The members of failures beside the compared values. */
export const failureAttributes: readonly Attribute[] = allTypes.flatMap(({ id, failureMembers }) =>
  attributesFrom(failureMembers).map((member) => ({
    ...member,
    description: `${member.description}, of type ${id}.`,
    nullable: true,
    omitEmpty: true,
  })),
);

/** Events in a session stand behind lists of reports, and these behind single ones. */
const placeOf = ({ report }: AnyResponseType): number => (report ? (report.list ? 1 : 0) : 2);

/** The answers of clients: properties of a device, and events on it. */
export const responseTypes: readonly AnyResponseType[] = allTypes
  .flatMap(({ response }) => response ?? [])
  .toSorted((a, b) => placeOf(a) - placeOf(b));

export const postureResponseTypeIds: readonly string[] = responseTypes.map(({ typeId }) => typeId);

/** The members of all responses; `description` says of which. */
export const responseAttributes: readonly Attribute[] = responseTypes.flatMap(
  ({ typeId, members, documentedMembers }) =>
    documentedEntries(members, documentedMembers).map(([name, { type, description }]) => ({
      name,
      type,
      description: `Of ${typeId}: ${description}.`,
    })),
);

/** The reports of a device. */
export const reportTypes: readonly AnyReport[] = responseTypes.flatMap(
  ({ report }) => report ?? [],
);

/** The views that administrators have of API sessions. */
export const sessionViews = allTypes.flatMap(({ sessionView }) => sessionView ?? []);
