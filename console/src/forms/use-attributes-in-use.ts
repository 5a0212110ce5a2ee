import { description, type Kind } from '../description/description.js';
import { RoleAttributes, type RoleAttributeKind } from '../emitted/operations.js';
import { useAnswer } from '../graph/use-answer.js';

const ATTRIBUTE_KINDS = description.enums.RoleAttributeKind ?? {};
const MAX_ATTRIBUTES = 20;

/** The first role attributes with this part that entities of the kind carry; none while nobody looks. */
export function useAttributesInUse(
  { type }: Kind,
  part: string,
  isLooking: boolean,
): readonly string[] {
  const model = type.charAt(0).toLowerCase() + type.slice(1);
  const { data } = useAnswer(
    RoleAttributes,
    {
      kind: model as RoleAttributeKind,
      filter: `id icontains ${JSON.stringify(part)} limit ${String(MAX_ATTRIBUTES)}`,
    },
    { when: isLooking && model in ATTRIBUTE_KINDS },
  );
  return data?.roleAttributes?.nodes ?? [];
}
