import type { InputField } from '../description/inputs.js';
import type { FormValues } from './form-values.js';

/** Groups that an entity has from its creation on or never, with the members that never change. */
const FIXED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  CertificateAuthority: { bundleEndpoint: ['trustDomain'] },
};

/** The fields for an entity that exists. */
export function withFixedGroups(
  fields: readonly InputField[],
  type: string,
  entity: FormValues,
): readonly InputField[] {
  return fields.flatMap((field) => {
    const fixed = FIXED[type]?.[field.name];
    if (!fixed) return [field];
    if ((entity[field.name] ?? null) === null) return [];
    const members = (field.fields ?? []).map((member) =>
      fixed.includes(member.name) ? { ...member, isFixed: true } : member,
    );
    return [{ ...field, isFixed: true, fields: members }];
  });
}
