import { invalidField } from '../../base/errors.js';
import { readerOf, type Reader } from '../../base/schema-reader.js';
import { choice, schemaOf, type TypedSchema } from '../../base/typed-schema.js';
import { postureResponseTypeIds, responseTypes, type AnyResponseType } from './posture-types.js';
import { ANSWERED_ID, type AnswerOf } from './types/answer-members.js';
import type { postureTypes } from './types/index.js';

type ResponseOf<T> = T extends { readonly typeId: infer Id; readonly members: infer Members }
  ? { readonly typeId: Id; readonly id: string } & AnswerOf<Members>
  : never;

/** An answer of a client about its device; `id` names the check that it answers. */
export type PostureResponse = ResponseOf<NonNullable<(typeof postureTypes)[number]['response']>>;

/** Bounds what one identity can make the controller keep. */
const MAX_RESPONSES = 500;

const readType = readerOf(schemaOf({ typeId: choice(postureResponseTypeIds) }));

function readerOfType({ typeId, members }: AnyResponseType): Reader<PostureResponse> {
  const answers = Object.entries(members).map(([name, { schema }]) => [name, schema] as const);
  const schema: TypedSchema<object> = schemaOf({
    typeId: choice([typeId]),
    id: ANSWERED_ID,
    ...Object.fromEntries(answers),
  });
  // Each type declares its members with their schemas.
  return readerOf(schema) as Reader<PostureResponse>;
}

const readers: ReadonlyMap<string, Reader<PostureResponse>> = new Map(
  responseTypes.map((type) => [type.typeId, readerOfType(type)]),
);

function readResponse(value: unknown, place = ''): PostureResponse {
  const { typeId } = readType(value, place);
  const read = readers.get(typeId);
  if (!read) throw new Error(`there is no response of type ${typeId}`);
  return read(value, place);
}

/** Checks the body of one response; a fault is 400 with its field, as in `macAddresses[1]`. */
export const readPostureResponse = (body: unknown): PostureResponse => readResponse(body);

/** Checks the body of many; one fault refuses them all, its field as in `[2].typeId`. */
export function readPostureResponses(body: unknown): PostureResponse[] {
  if (!Array.isArray(body)) throw invalidField('body', 'must be a list', body);
  if (body.length > MAX_RESPONSES) {
    throw invalidField('body', `must have at most ${MAX_RESPONSES} entries`, body.length);
  }
  return body.map((response: unknown, i) => readResponse(response, `[${String(i)}]`));
}
