import { invalidField } from '../../base/errors.js';
import { overlaid, readerOf } from '../../base/schema-reader.js';
import { anyObject, choice, isSent } from '../../base/typed-schema.js';
import { fieldsOf, postureCheckTypeIds, type PostureCheckTypeId } from './posture-types.js';
import type { CheckField } from './types/posture-type.js';
import type { PostureCheckFields } from './declared-values.js';

/** `replace` is PUT. `patch` is PATCH, where absent values stay as they are. */
export type PostureVerb = 'create' | 'replace' | 'patch';

export type StoredPostureCheck = { readonly typeId: string } & Partial<PostureCheckFields>;

const readTypeId = readerOf(choice(postureCheckTypeIds));
const readBody = readerOf(anyObject());

/** A check keeps its type for life; only a replacement may leave the type out. */
function checkTypeId(typeId: unknown, verb: PostureVerb, stored?: string): PostureCheckTypeId {
  const given = verb === 'replace' && !isSent(typeId) ? stored : typeId;
  const declared = readTypeId(given, 'typeId');
  if (stored !== undefined && declared !== stored) {
    throw invalidField('typeId', `can not be changed from ${stored}`, typeId);
  }
  return declared;
}

/** The value to store for one field, `undefined` when a patch leaves it alone. */
function fieldValue(
  name: string,
  field: CheckField<unknown>,
  sent: unknown,
  verb: PostureVerb,
  current: unknown,
): unknown {
  if (verb !== 'patch') return field.read(sent, name);
  return isSent(sent) ? field.read(overlaid(current, sent), name) : undefined;
}

/**
 * Checks the body of a posture check and gives the fields of its type in the form in which they are
 * stored: all of them on create and replace, those sent on patch (null counts as not sent).
 * Faults are 400 with the field; an unknown type, and a change of type, is one of field `typeId`.
 */
export function checkPosture(
  typeId: unknown,
  body: unknown,
  verb: PostureVerb,
  current?: StoredPostureCheck,
): Partial<PostureCheckFields> {
  const type = checkTypeId(typeId, verb, verb === 'create' ? undefined : current?.typeId);
  const sent = readBody(body);
  const stored: Readonly<Record<string, unknown>> = current ?? {};
  return Object.fromEntries(
    Object.entries(fieldsOf(type))
      .map(([name, field]) => [name, fieldValue(name, field, sent[name], verb, stored[name])])
      .filter(([, value]) => value !== undefined) as [string, unknown][],
  );
}
