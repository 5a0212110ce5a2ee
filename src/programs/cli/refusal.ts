import { CommandError, EXIT } from './command-error.js';

export interface GraphError {
  readonly message: string;
  readonly extensions?: {
    readonly code?: string;
    readonly field?: string;
    readonly reason?: string;
    readonly place?: string;
    readonly cursor?: string;
  };
}

interface RefusalDetails {
  readonly code?: string | undefined;
  /** The part of the request that it is about: `changes[2]`, or the field at fault. */
  readonly place?: string | undefined;
  /** Where a subscription can go on. */
  readonly cursor?: string | undefined;
}

/** The controller has answered, and does not do it. */
export class Refusal extends CommandError {
  constructor(
    exitCode: number,
    message: string,
    readonly details: RefusalDetails,
  ) {
    super(exitCode, message);
  }

  /** Whether it is about a variable of the request, or something in it. */
  isAbout(variable: string): boolean {
    const [first] = (this.details.place ?? '').split(/[.[]/, 1);
    return first === variable;
  }
}

export function refusalOf({ message, extensions = {} }: GraphError): Refusal {
  const { code, field, reason, place = field, cursor } = extensions;
  const text = field === undefined ? message : `${field}: ${reason ?? message}`;
  const isLogin = code === 'UNAUTHORIZED' || code === 'INVALID_AUTH';
  return new Refusal(isLogin ? EXIT.unreachable : EXIT.fault, text, { code, place, cursor });
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** An error of the connection, in the words of the user. */
export function explained(code: string): string {
  if (UNTRUSTED.has(code)) return 'its certificate is not trusted; give --ca <file>, or -k';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another name';
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND') return 'no such host';
  return code;
}
