import { invalidField } from '../base/errors.js';
import { fieldRules, type PostureCheckFields } from './posture-check-fields.js';
import { postureCheckTypeIds, type PostureCheckTypeId } from './posture-check-types.js';
import { choiceAt, isSent, objectAt } from '../base/values.js';

type FieldName = keyof PostureCheckFields;

/** The fields of each type; those of other types are not looked at. */
const FIELDS: Readonly<Record<PostureCheckTypeId, readonly FieldName[]>> = {
  OS: ['operatingSystems'],
  PROCESS: ['process'],
  DOMAIN: ['domains'],
  MAC: ['macAddresses'],
  PROCESS_MULTI: ['semantic', 'processes'],
  MFA: ['timeoutSeconds', 'promptOnWake', 'promptOnUnlock', 'ignoreLegacyEndpoints'],
};

/** `replace` is PUT, `patch` is PATCH: what is not sent stays. */
export type PostureVerb = 'create' | 'replace' | 'patch';

export type StoredPostureCheck = { readonly typeId: string } & Partial<PostureCheckFields>;

/** A check keeps its type for life; only a replacement may leave the type out. */
function checkTypeId(typeId: unknown, verb: PostureVerb, stored?: string): PostureCheckTypeId {
  const given = verb === 'replace' && !isSent(typeId) ? stored : typeId;
  const known = choiceAt(postureCheckTypeIds, given, 'typeId');
  if (stored !== undefined && known !== stored) {
    throw invalidField('typeId', `can not be changed from ${stored}`, typeId);
  }
  return known;
}

/** The value to store for one field, `undefined` when a patch leaves it alone. */
function fieldValue<K extends FieldName>(
  name: K,
  sent: unknown,
  verb: PostureVerb,
  current: PostureCheckFields[K] | undefined,
): PostureCheckFields[K] | undefined {
  const rule = fieldRules[name];
  const isPatch = verb === 'patch';
  if (isSent(sent)) return rule.read(sent, name, isPatch ? current : undefined);
  if (isPatch) return undefined;
  return rule.fallback ?? rule.read(sent, name, undefined);
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
  const members = objectAt(body, 'body');
  return Object.fromEntries(
    FIELDS[type]
      .map((name) => [name, fieldValue(name, members[name], verb, current?.[name])] as const)
      .filter(([, value]) => value !== undefined),
  );
}
