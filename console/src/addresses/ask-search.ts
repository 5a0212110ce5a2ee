import { idOf } from './address-values.js';
import type { AccessType } from '../emitted/operations.js';

/** A question about access, as its address has it. */
export interface AskSearch {
  /** Ids. */
  readonly identity?: string | undefined;
  readonly service?: string | undefined;
  readonly type?: AccessType | undefined;
  /** A time of the past, or the id of a change. */
  readonly at?: string | undefined;
  /** Whether the page shows since when an identity reaches a service. */
  readonly since?: boolean | undefined;
}

export const ACCESS_TYPES: readonly AccessType[] = ['Dial', 'Bind'];

export const askSearch = ({
  identity,
  service,
  type,
  at,
  since,
}: Readonly<Record<string, unknown>>): AskSearch => ({
  identity: idOf(identity),
  service: idOf(service),
  type: ACCESS_TYPES.find((each) => each === type),
  at: idOf(at),
  since: since === true ? true : undefined,
});

/** Tells a time from the id of a change. */
export const isInstant = (at: string): boolean => at.includes('T') && !Number.isNaN(Date.parse(at));
