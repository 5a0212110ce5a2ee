import emitted from '../emitted/description.json' with { type: 'json' };

/** The description of the schema, as the build writes it. */
export interface Description {
  /** By the name of the type. */
  readonly kinds: Readonly<Record<string, Kind>>;
  readonly types: Readonly<Record<string, Fields>>;
  readonly inputs: Readonly<Record<string, Fields>>;
  /** Name -> value -> description. */
  readonly enums: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Query, Mutation, Subscription -> operation -> permission. */
  readonly permissions: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A kind of entity with the names of its operations. */
export interface Kind {
  readonly type: string;
  readonly description: string;
  readonly list: string;
  readonly one: string;
  readonly create?: string;
  readonly update?: string;
  readonly remove?: string;
  readonly createInput?: string;
  readonly updateInput?: string;
  readonly addRoleAttributes?: string;
  readonly removeRoleAttributes?: string;
  /** Whether lists of changes may contain it. */
  readonly isDrafted?: boolean;
  /** The controller makes and deletes some of its entities with those of another type, which have their ids. */
  readonly keptWith?: KeptWith;
  readonly orderInput: string;
  readonly orderFields: readonly string[];
  /** The names by which its list can be filtered. */
  readonly where: readonly string[];
}

export interface KeptWith {
  /** The type of the other entity. */
  readonly type: string;
  /** The values by which an entity is one of them. */
  readonly kept: Values;
  /** The values by which the other entity has one. */
  readonly madeFor: Values;
  /** The members that it has from the other entity: nobody else changes them. */
  readonly members: readonly string[];
}

type Values = Readonly<Record<string, unknown>>;

export type Fields = Readonly<Record<string, Field>>;

export interface Field {
  /** As the schema writes it: `[String!]!`. */
  readonly type: string;
  readonly description: string;
  /** The type of the entities of a connection. */
  readonly nodes?: string;
  readonly arguments?: readonly string[];
  readonly needsArguments?: boolean;
  readonly isAbstract?: boolean;
}

export const description: Description = emitted;

/** A description without the marks of code, which a label does not show. */
export const plainText = (text: string): string => text.replaceAll('`', '');
