import type {
  AttributeDeclaration,
  AttributeType,
  Shape,
} from '../../../kernel/declare/attribute.js';
import type { JsonObject } from '../../../base/row.js';
import type { Reader } from '../../../base/schema-reader.js';
import type { OsType } from '../operating-system.js';
import type { SessionPosture } from '../../../data/rows/posture/index.js';
import type { AnswerMember } from './answer-members.js';
import type { PostureReport, ReportStamp } from './report.js';

/*
 * A posture check type is one object, which declares everything that the controller needs of it.
 * Functions that many types share a list for are methods, so that the list can have one type.
 */

/** An attribute of checks of one type, on both doors. */
export interface CheckField<T> {
  readonly type: AttributeType;
  /** The documents continue it by `, of type MAC.`. */
  readonly description: string;
  readonly filter?: true;
  /** Checks what a client sends and gives the value to store. */
  readonly read: Reader<T>;
}

/** The values of fields: `ValuesOf<typeof fields>`. */
export type ValuesOf<Fields> = {
  readonly [K in keyof Fields]: Fields[K] extends CheckField<infer Value> ? Value : never;
};

/** A check as far as it is evaluated; the members of other types are not looked at. */
export type CheckOf<Fields> = { readonly id: string; readonly typeId: string } & {
  readonly [K in keyof Fields]?: Fields[K] | null | undefined;
};

/** The values that failed, as clients see them (schemas `postureCheckFailure*`). */
export interface ComparedValues<Actual = unknown, Expected = unknown> {
  readonly actualValue: Actual;
  readonly expectedValue: Expected;
}

/** A verdict is a pure function of the check, the data and the time. */
export interface CheckRule<Fields, Subject, Failure> {
  passes(check: CheckOf<Fields>, subject: Subject, now: number): boolean;
  failure(check: CheckOf<Fields>, subject: Subject, now: number): Failure;
}

export interface Timing {
  /** Seconds that a pass lasts; -1 when it does not end by itself. */
  readonly timeout: number;
  /** Seconds left of it, rounded up; -1 likewise. */
  readonly timeoutRemaining: number;
  /** The instant at which nothing is left, where there is one. */
  readonly timeoutAt?: number;
  /** The first instant at which `isPassing` differs if nothing happens but time. */
  readonly nextChangeAt?: number;
  /** The last event on the device after which the check asks for an answer. */
  readonly lastPromptAt?: number;
}

/** Members that a type adds to what all types show, in the order of the documents. */
export type AddedMembers = Readonly<Record<string, AttributeDeclaration>>;

/** The part of a posture query that tells clients where to look. */
export interface PostureQueryPart<Fields, Query> {
  readonly members?: AddedMembers;
  values(check: CheckOf<Fields>): Query;
  /** Members that the graph has in place of those of the type. */
  onGraph?(query: Query): object;
  /** The REST form of what the graph answers. */
  onRest?(query: JsonObject): JsonObject;
}

/** A stored report of an answer. */
export type Stored<Values> = ReportStamp & Readonly<Values>;

/** The report of a device: its place in the data of an identity, and what administrators see. */
export interface DeviceReport<Member extends string, Answer, Values> {
  readonly member: Member;
  readonly description: string;
  readonly shape: Shape<PostureReport>;
  /** The report that an answer leaves behind. */
  read(answer: Answer): Values;
  /** Absent: the latest report replaces the one before. */
  readonly list?: {
    /** The reports with one more, the latest last. */
    add(reports: readonly Stored<Values>[], report: Stored<Values>): readonly Stored<Values>[];
    /** The reports that verdicts depend on: equal values for equal states. */
    state(reports: readonly Stored<Values>[]): unknown;
  };
}

/** An answer of a client, and its effect: a report of the device, or an event in the API session. */
export interface PostureResponseType<Id, Answer, Member extends string, Values> {
  readonly typeId: Id;
  /** In the order in which they are checked. */
  readonly members: { readonly [K in keyof Answer]: AnswerMember<Answer[K]> };
  /** The order of the members in the documents, where it is another one. */
  readonly documentedMembers?: readonly (keyof Answer & string)[];
  readonly report?: DeviceReport<Member, Answer, Values>;
  /** The session itself when the answer changes nothing. */
  applyToSession?(session: SessionPosture, answer: Answer, now: number): SessionPosture;
}

/** The compiler infers the types of the answer and of its report; the report has what `shape` shows. */
export const defineResponse = <
  const Id extends string,
  Answer,
  const Member extends string = never,
  Shown extends PostureReport = never,
  Values extends object = never,
>(
  response: PostureResponseType<Id, Answer, Member, Values> & {
    readonly report?: {
      readonly shape: Shape<Shown>;
      read(answer: never): Omit<Shown, keyof PostureReport>;
    };
  },
): PostureResponseType<Id, Answer, Member, Values> => response;

/** The latest report of an answer, where one was stored: a part of what rules look at. */
export interface LatestReport<Response> {
  readonly data: Response extends {
    readonly report?: DeviceReport<infer Member, never, infer Values>;
  }
    ? { readonly [K in Member]?: Stored<Values> }
    : never;
}

/** The view that administrators have of the type in each API session. */
export interface SessionView {
  readonly members: Readonly<Record<string, { shape: Shape; description: string }>>;
  values(
    apiSessionId: string,
    session: SessionPosture,
    now: number,
  ): Readonly<Record<string, object>>;
}

export interface PostureType<
  Id extends string,
  Fields extends object,
  Subject,
  Failure extends ComparedValues,
  Query extends object = object,
  Response = never,
> {
  readonly id: Id;
  /** The meaning of the type in the documents. */
  readonly meaning: string;
  /** The systems on which a client can answer. */
  readonly answeredOn: readonly OsType[];
  /** In the order in which they are checked. */
  readonly fields: { readonly [K in keyof Fields]: CheckField<Fields[K]> };
  /** The order of the fields in the documents, where it is another one. */
  readonly documentedFields?: readonly (keyof Fields & string)[];
  readonly rule: CheckRule<Fields, Subject, Failure>;
  /** Absent: a verdict does not age. */
  timing?(check: CheckOf<Fields>, session: SessionPosture, now: number): Timing;
  /** Members that its failures have beside the compared values. */
  readonly failureMembers?: AddedMembers;
  readonly query?: PostureQueryPart<Fields, Query>;
  /** Absent: the type looks at answers to another one. */
  readonly response?: Response;
  readonly sessionView?: SessionView;
}

/**
 * The compiler infers the types of the members; the subject is that of the parameter of `passes`. The
 * fields are a constant before the call: of calls of `readerOf` inside it the compiler infers nothing.
 */
export const definePosture = <
  const Id extends string,
  Fields extends Readonly<Record<string, CheckField<unknown>>>,
  Subject,
  Failure extends ComparedValues,
  Query extends object = object,
  Response = never,
>(
  type: PostureType<Id, ValuesOf<Fields>, Subject, Failure, Query, Response> & {
    readonly fields: string extends keyof Fields ? never : Fields;
  },
): PostureType<Id, ValuesOf<Fields>, Subject, Failure, Query, Response> => type;
