/*
 * The capabilities that the controller announces to routers, as the bits of a mask. Routers then use
 * other messages, so a capability is announced when its part of the controller is finished.
 */

/** Of routers and of what they may be told: 1 is the line of version 1.6, 2 that of version 2. */
export type RouterGeneration = 1 | 2;

/** Terminators with ids of the router, links reported by their dialer, circuits requested by headers. */
const ALWAYS = [1, 2, 3];

const BITS = {
  /** Routers of version 1.6 follow the data model as well; those of version 2 always do. */
  'data-model': 4,
  /** Routers open a second connection, for circuits. */
  'grouped-channels': 5,
  /** The tokens of sessions are JWTs. Routers of version 2 serve no other controller. */
  'jwt-sessions': 6,
} as const;

export type RouterCapability = keyof typeof BITS;

/** The latest bit that routers of version 1.6 know. */
const LAST_BIT_OF_GENERATION_1 = 4;

/** The mask for routers of a generation: the bytes of a number, the highest first. */
export function capabilityMask(
  capabilities: readonly RouterCapability[],
  generation: RouterGeneration,
): Buffer {
  const bits = [...ALWAYS, ...capabilities.map((name) => BITS[name])].filter(
    (bit) => generation === 2 || bit <= LAST_BIT_OF_GENERATION_1,
  );
  return Buffer.from([bits.reduce((mask, bit) => mask | (1 << bit), 0)]);
}

/** Whether routers of a generation follow the data model. */
export const followsDataModel = (
  capabilities: readonly RouterCapability[],
  generation: RouterGeneration,
): boolean => generation === 2 || capabilities.includes('data-model');

/** Whether a mask has a bit, one of the first eight. */
export const hasBit = (mask: Buffer | undefined, bit: number): boolean =>
  (((mask?.at(-1) ?? 0) >> bit) & 1) === 1;
