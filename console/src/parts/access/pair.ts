import type { AccessType, WhyAccessResult } from '../../emitted/operations.js';

/** An identity, a service, and what the one does with the other. */
export interface Pair {
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: AccessType;
}

/** A pair with the names that it has now; an id stands for a name that can not be read. */
export interface NamedPair extends Pair {
  readonly identityName: string;
  readonly serviceName: string;
}

export type Explanation = NonNullable<WhyAccessResult['access']>;

/** Another policy helps where none grants the access, or where the checks of all that do fail. */
export const isPolicyWanted = ({ allowed, obstacles }: Explanation): boolean =>
  !allowed || obstacles.includes('POSTURE');
