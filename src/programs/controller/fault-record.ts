/** The loggable facts about an unexpected fault. */
export interface FaultRecord {
  readonly type: string;
  readonly code: string | undefined;
  readonly at: readonly string[];
}

/** Describes a fault without its message and members, which may contain data of a client. */
export function faultRecord(fault: unknown): FaultRecord {
  if (!(fault instanceof Error)) return { type: typeof fault, code: undefined, at: [] };
  const { code } = fault as { code?: unknown };
  return {
    type: fault.constructor.name,
    code: typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : undefined,
    at: framesOf(fault),
  };
}

/** The frames of the stack. It skips the message at the begin, whose lines may look like frames. */
function framesOf({ stack = '', message }: Error): string[] {
  const trace = stack.slice(stack.indexOf(message) + message.length);
  return trace
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
}
