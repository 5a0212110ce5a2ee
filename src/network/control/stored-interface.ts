import type { RouterInterface } from '../messages/index.js';

/** The bits of the flags of an interface. */
const FLAGS = { isUp: 1, isBroadcast: 2, isLoopback: 4, isMulticast: 16, isRunning: 32 };

/** A network interface of a router, in the form in which it is stored. */
export const storedInterface = ({ flags, ...values }: RouterInterface): object => ({
  ...values,
  ...Object.fromEntries(
    Object.entries(FLAGS).map(([name, bit]) => [name, Math.floor(flags / bit) % 2 === 1]),
  ),
});
