import type { GraphQLField, GraphQLObjectType } from 'graphql';
import { Extensions, type ClassType } from 'type-graphql';
import type { JsonObject } from '../../base/row.js';
import type { AttributeOptions } from '../declare/attribute.js';
import type { Schema } from '../declare/rest-schema.js';

/*
 * Differences between an object of the graph and its form in REST bodies, declared with the object.
 * Selections, bodies and OpenAPI schemas of all answers that show it follow from them.
 */

/** The options of attributes also apply to other fields of the graph. */
export interface RestMemberOptions extends Pick<
  AttributeOptions,
  'restName' | 'omitEmpty' | 'graphOnly' | 'restWithout'
> {
  /** Only operations that declare this selection argument show it, where it is true. */
  readonly onlyWith?: string;
  /** Its arguments keep their defaults, also where the operation has one of the same name. */
  readonly keepsDefaults?: true;
  /** The members of an entity that it shows; bodies omit other entities. */
  readonly select?: string;
}

/** Declares how REST bodies show a field, such as one with a resolver. */
export const RestMember =
  (options: RestMemberOptions) =>
  (prototype: object, name: string): void => {
    Extensions({ restMember: options })(prototype, name, {});
  };

export const restMemberOf = (
  field: Pick<GraphQLField<unknown, unknown>, 'extensions'>,
): RestMemberOptions => (field.extensions.restMember as RestMemberOptions | undefined) ?? {};

/** A form that does not follow from the members one by one. */
export interface RestForm<T extends object> {
  /** Makes the body from the members under their REST names. */
  readonly view: (members: T) => JsonObject;
  /** Makes the schema of the body from the schema of the members. */
  readonly schema: (members: Schema) => Schema;
}

/** Declares the REST form of an object type. */
export const RestObject =
  <T extends object>(form: RestForm<T>) =>
  (target: ClassType): void => {
    Extensions({ restForm: form })(target);
  };

/** The members of an object are checked by its type in the graph. */
export const restFormOf = (type: GraphQLObjectType): RestForm<JsonObject> | undefined =>
  type.extensions.restForm as RestForm<JsonObject> | undefined;
