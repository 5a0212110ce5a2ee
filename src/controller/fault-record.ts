/** What is logged of a fault that nothing was prepared for. */
export interface FaultRecord {
  readonly type: string;
  readonly code: string | undefined;
  readonly at: readonly string[];
}

/** Without its message and its members, which may hold what a client sent. */
export function faultRecord(fault: unknown): FaultRecord {
  if (!(fault instanceof Error)) return { type: typeof fault, code: undefined, at: [] };
  const { code } = fault as { code?: unknown };
  return {
    type: fault.constructor.name,
    code: typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : undefined,
    at: framesOf(fault),
  };
}

/** The stack begins with the message, which may have lines that look like frames. */
function framesOf({ stack = '', message }: Error): string[] {
  const trace = stack.slice(stack.indexOf(message) + message.length);
  return trace
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
}
