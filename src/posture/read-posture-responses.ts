import { invalidField } from '../base/errors.js';
import { choiceAt, listAt, objectAt, textAt } from '../base/values.js';
import { postureResponseTypeIds, responseTypes } from './posture-types.js';
import { anyTextAt, type AnswerMember } from './types/answer-members.js';
import type { postureTypes } from './types/index.js';

type AnswerOf<Members> = {
  readonly [K in keyof Members]: Members[K] extends AnswerMember<infer Value> ? Value : never;
};

type ResponseOf<T> = T extends { readonly typeId: infer Id; readonly members: infer Members }
  ? { readonly typeId: Id; readonly id: string } & AnswerOf<Members>
  : never;

/** What a client says of its device; `id` is that of the check which it answers. */
export type PostureResponse = ResponseOf<NonNullable<(typeof postureTypes)[number]['response']>>;

/** Bounds what one identity can make the controller keep. */
const MAX_RESPONSES = 500;

function responseAt(value: unknown, place: string): PostureResponse {
  const sent = objectAt(value, place || 'body');
  const at = (member: string): string => (place ? `${place}.${member}` : member);
  const typeId = choiceAt(postureResponseTypeIds, sent.typeId, at('typeId'));
  const id = anyTextAt(textAt(sent.id, at('id')), at('id'));
  const members = responseTypes.find((type) => type.typeId === typeId)?.members ?? {};
  const answer = Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, member.read(sent[name], at(name))]),
  );
  // The compiler does not relate the members of a type to the answer of the same type.
  return { typeId, id, ...answer } as unknown as PostureResponse;
}

/** Checks the body of one response; a fault is 400 with its field, as in `macAddresses[1]`. */
export const readPostureResponse = (body: unknown): PostureResponse => responseAt(body, '');

/** Checks the body of many; one fault refuses them all, its field as in `[2].typeId`. */
export function readPostureResponses(body: unknown): PostureResponse[] {
  if (!Array.isArray(body)) throw invalidField('body', 'must be a list', body);
  if (body.length > MAX_RESPONSES) {
    throw invalidField('body', `must have at most ${MAX_RESPONSES} entries`, body.length);
  }
  return listAt(body, '', responseAt);
}
