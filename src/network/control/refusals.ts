import { CONTENT, HEADER } from './content-types.js';
import { messages } from '../messages/index.js';
import type { Frame, Headers } from './frame.js';
import { boolValue, textValue, uint32Value } from './header-values.js';

/** Codes of errors, by which SDKs decide what to do. */
export const ERROR = {
  internal: 1,
  invalidApiSession: 2,
  invalidSession: 3,
  wrongSessionType: 4,
  invalidRouter: 5,
  invalidService: 6,
  tunnelingNotEnabled: 7,
  invalidTerminator: 8,
  encryptionDataMissing: 11,
} as const;

const ERROR_HEADER = { code: 1014, circuitId: 1026 } as const;

/** An answer that says why a request is not carried out. */
export interface Refusal {
  readonly type: number;
  readonly body: Buffer;
  readonly headers?: Headers;
}

/** An error with a code, as routers pass it on to SDKs. */
export function errorOf(code: number, text: string, circuitId?: string): Refusal {
  const headers = new Map<number, Buffer>([[ERROR_HEADER.code, uint32Value(code)]]);
  if (circuitId !== undefined) headers.set(ERROR_HEADER.circuitId, textValue(circuitId));
  return { type: CONTENT.error, body: textValue(text), headers };
}

/** A result, whose success and text are read. */
export const resultOf = (isSuccess: boolean, text: string): Refusal => ({
  type: CONTENT.result,
  body: textValue(text),
  headers: new Map([[HEADER.success, boolValue(isSuccess)]]),
});

type Form = (text: string, request: Frame) => Refusal;

const asError: Form = (text) => errorOf(ERROR.internal, text);
const asResult: Form = (text) => resultOf(false, text);
const asFailedCircuit: Form = (text) => ({ type: CONTENT.circuitFailed, body: textValue(text) });
const asInspection: Form = (text) => ({
  type: CONTENT.inspectResult,
  body: messages.InspectResponse.encode({ success: false, errors: [text] }),
});
const asConfirmation: Form = (message) => ({
  type: CONTENT.error,
  body: messages.ConfirmationError.encode({ code: 'VERIFY_ERROR', message }),
});
/** Routers find the terminator by its id, not by the request. */
const asFailedTerminator: Form = (msg, { body }) => ({
  type: CONTENT.createTunnelTerminatorV2Result,
  body: messages.CreateTunnelTerminatorV2Response.encode({
    terminatorId: addressIn(body),
    result: 'FailedOther',
    msg,
  }),
});

function addressIn(body: Buffer): string {
  try {
    return messages.CreateTunnelTerminatorV2Request.decode(body).address;
  } catch {
    return '';
  }
}

/**
 * The types of frames for whose answer a router waits, each with the form of a refusal that the router
 * reads. Types that are absent need no answer.
 */
const FORMS: ReadonlyMap<number, Form> = new Map([
  [CONTENT.circuitRequest, asFailedCircuit],
  [CONTENT.createFabricTerminator, asResult],
  [CONTENT.removeTerminator, asResult],
  [CONTENT.inspect, asInspection],
  [CONTENT.updateTerminator, asResult],
  [CONTENT.verifyRouter, asResult],
  [CONTENT.removeTerminators, asResult],
  [CONTENT.quiesce, asResult],
  [CONTENT.restore, asResult],
  [CONTENT.decommission, asResult],
  [CONTENT.interfaces, asResult],
  [CONTENT.createCircuitV1, asError],
  [CONTENT.createTerminatorV1, asError],
  [CONTENT.updateBind, asError],
  [CONTENT.removeBind, asError],
  [CONTENT.createTerminator, asError],
  [CONTENT.createCircuit, asError],
  [CONTENT.createTunnelCircuitV2, asError],
  [CONTENT.createCircuitV3, asError],
  [CONTENT.confirmCertificate, asConfirmation],
  [CONTENT.createApiSession, asError],
  [CONTENT.createTunnelCircuit, asError],
  [CONTENT.createTunnelTerminator, asError],
  [CONTENT.updateTunnelTerminator, asError],
  [CONTENT.removeTunnelTerminator, asError],
  [CONTENT.createTunnelTerminatorV2, asFailedTerminator],
]);

/** Gives the refusal of a request; undefined for a frame that needs no answer. */
export function refusalOf(frame: Frame, text: string): Refusal | undefined {
  // An answer is no request, whatever its type.
  return frame.headers.has(HEADER.replyFor) ? undefined : FORMS.get(frame.type)?.(text, frame);
}
