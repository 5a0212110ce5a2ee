import { texts } from '../texts.js';

/** An error as the graph answers it. */
export interface GraphError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: {
    readonly code?: string;
    readonly status?: number;
    readonly field?: string;
    readonly reason?: string;
    readonly requestId?: string;
    readonly retryAfter?: number;
  };
}

/** A request that was refused, or that got no answer. */
export class Failure extends Error {
  readonly code: string;
  /** The member of the input at fault. */
  readonly field: string | undefined;
  readonly reason: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(error: GraphError) {
    super(error.message);
    const { code, field, reason, requestId, retryAfter } = error.extensions ?? {};
    this.code = code ?? 'UNKNOWN';
    this.field = field;
    this.reason = reason;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  /** The same with other words. */
  saying(message: string): Failure {
    const { code, requestId, retryAfter } = this;
    return new Failure({
      message,
      extensions: {
        code,
        ...(requestId === undefined ? {} : { requestId }),
        ...(retryAfter === undefined ? {} : { retryAfter }),
      },
    });
  }

  /** The caller has no permission, or its session has ended: the controller answers both alike. */
  get isUnauthorized(): boolean {
    return this.code === 'UNAUTHORIZED';
  }

  /** Access rules forbid what was asked for. */
  get isOfAccessRules(): boolean {
    return this.code === 'ACCESS_RULE_VIOLATED';
  }

  /** The controller, or the way to it, does not serve requests now: the same may have an answer later. */
  get isTemporary(): boolean {
    return this.isUnreachable || this.retryAfter !== undefined;
  }

  get isUnreachable(): boolean {
    return this.code === UNREACHABLE;
  }
}

const UNREACHABLE = 'UNREACHABLE';

export const unreachable = (): Failure =>
  new Failure({ message: texts.failure.unreachable, extensions: { code: UNREACHABLE } });

/** Makes a failure of anything that was thrown. */
export function failureOf(fault: unknown): Failure {
  if (fault instanceof Failure) return fault;
  return new Failure({ message: fault instanceof Error ? fault.message : String(fault) });
}
