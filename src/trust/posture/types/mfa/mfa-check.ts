import { readerOf } from '../../../../base/schema-reader.js';
import { boolean, integer, orElse } from '../../../../base/typed-schema.js';
import { bool, int } from '../../../../kernel/declare/attribute.js';
import type { CheckField, CheckOf, ValuesOf } from '../posture-type.js';

/** Zero and below mean that MFA does not time out. */
const timeoutOf = (seconds: number): number => (seconds > 0 ? seconds : -1);

const flag = (description: string): CheckField<boolean> => ({
  type: bool(),
  description,
  read: readerOf(orElse(boolean(), false)),
});

export const mfaFields = {
  timeoutSeconds: {
    type: int(),
    description: 'Seconds that a passed code counts (-1: no end)',
    read: readerOf(orElse(integer(), -1), timeoutOf),
  },
  promptOnWake: { ...flag('Ask again after the device wakes'), filter: true },
  promptOnUnlock: { ...flag('Ask again after the device is unlocked'), filter: true },
  ignoreLegacyEndpoints: flag('Spare clients that can not be asked'),
} as const;

export type MfaFields = ValuesOf<typeof mfaFields>;

export type MfaCheck = CheckOf<MfaFields>;

/** Whether it is a check of this type: those of others may have the members, but do not use them. */
export const isMfaCheck = ({ typeId }: { readonly typeId: string }): boolean => typeId === 'MFA';
