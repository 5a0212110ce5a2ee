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
 * What is stored of the devices of an identity, whichever of its API sessions said so: the reports
 * of each type. All of it is plain JSON.
 */
export type PostureData = Intersection<Extract<SubjectOf<DeclaredType>, { data: unknown }>['data']>;

/** What posture checks hold beyond name, attributes and tags; which members depends on the type. */
export type PostureCheckFields = Intersection<FieldsOf<DeclaredType>>;

/** A check as far as it is evaluated; the members of other types are not looked at. */
export type PostureCheckSpec = CheckOf<PostureCheckFields> & {
  readonly typeId: PostureCheckTypeId;
};

/** What was found and what was wanted, by type of check (schemas `postureCheckFailure*`). */
export type FailureValues = ReturnType<DeclaredType['rule']['failure']>;

/** What clients are told to look for, by type of check. */
export type QueryValues = Partial<Intersection<QueryOf<DeclaredType>>>;

export interface Verdict extends Timing {
  readonly isPassing: boolean;
  /** Present when the check fails. */
  readonly failure?: FailureValues;
}
