import type { CheckOf } from '../posture-type.js';

export interface MfaFields {
  /** Seconds for which a passed MFA counts; -1 for ever. */
  readonly timeoutSeconds: number;
  readonly promptOnWake: boolean;
  readonly promptOnUnlock: boolean;
  readonly ignoreLegacyEndpoints: boolean;
}

export type MfaCheck = CheckOf<MfaFields>;

/** Whether it is a check of this type: those of others may have the members, but do not use them. */
export const isMfaCheck = ({ typeId }: { readonly typeId: string }): boolean => typeId === 'MFA';
