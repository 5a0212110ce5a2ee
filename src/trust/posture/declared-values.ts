import type { PostureCheckTypeId } from './posture-types.js';
import type { postureTypes } from './types/index.js';
import type {
  CheckOf,
  CheckRule,
  PostureQueryPart,
  Timing,
  ValuesOf,
} from './types/posture-type.js';

/* The types of TypeScript that follow from the list of posture check types. */

type DeclaredType = (typeof postureTypes)[number];

/** All members of a union at once. */
export type Intersection<Union> = (
  Union extends unknown ? (member: Union) => void : never
) extends (all: infer All) => void
  ? All
  : never;

/** The parts that a type brings, for each type of the list. */
type FieldsOf<T> = T extends { readonly fields: infer Fields } ? ValuesOf<Fields> : never;
type SubjectOf<T> = T extends { readonly rule: CheckRule<never, infer Subject, unknown> }
  ? Subject
  : never;
type QueryOf<T> = T extends { readonly query?: PostureQueryPart<never, infer Query> }
  ? Query
  : never;

/**
 * The stored reports of each type on the devices of an identity, from any of its API sessions. All
 * of it is plain JSON.
 */
export type PostureData = Intersection<Extract<SubjectOf<DeclaredType>, { data: unknown }>['data']>;

declare module '../../data/prisma/models.js' {
  // The home of the table can not name it: the declared types stand above.
  interface ColumnShapes {
    IdentityPosture: { readonly data: PostureData };
  }
}

/** The fields of posture checks of all types; each type has some of them. */
export type PostureCheckFields = Intersection<FieldsOf<DeclaredType>>;

/** A check as far as it is evaluated; the members of other types are not looked at. */
export type PostureCheckSpec = CheckOf<PostureCheckFields> & {
  readonly typeId: PostureCheckTypeId;
};

/** The actual and the expected values, by type of check (schemas `postureCheckFailure*`). */
export type FailureValues = ReturnType<DeclaredType['rule']['failure']>;

/** The part of posture queries that tells clients where to look, by type of check. */
export type QueryValues = Partial<Intersection<QueryOf<DeclaredType>>>;

export interface Verdict extends Timing {
  readonly isPassing: boolean;
  /** Present when the check fails. */
  readonly failure?: FailureValues;
}
