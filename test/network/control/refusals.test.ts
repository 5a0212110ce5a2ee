import { beforeEach, describe, expect, test } from '@jest/globals';
import { ControlChannel, type FrameHandler } from '../../../src/network/control/control-channel.js';
import { messages } from '../../../src/network/messages/emitted/messages.js';
import {
  encodeFrame,
  FRAME_LIMITS,
  FrameReader,
  type Frame,
} from '../../../src/network/control/frame.js';
import {
  readBool,
  readText,
  readUint32,
  uint32Value,
} from '../../../src/network/control/header-values.js';
import { Underlay } from '../../../src/network/control/underlay.js';
import { Wire } from './wire.js';

/*
 * A router waits up to half a minute for the answer to a request. Each request gets one, whether the
 * controller does not serve it or its work fails.
 */

const HEADER = { replyFor: 1, success: 2, errorCode: 1014 } as const;
const SEQUENCE = 7;

/** The text of a refusal, in the form in which routers read it. */
type Form = (frame: Frame) => string;

const error: Form = ({ type, headers, body }) => {
  expect([type, readUint32(headers.get(HEADER.errorCode))]).toEqual([20_002, 1]);
  return body.toString();
};
const result: Form = ({ type, headers, body }) => {
  expect([type, headers.has(HEADER.success), readBool(headers.get(HEADER.success))]).toEqual([
    2,
    true,
    false,
  ]);
  return body.toString();
};
const failedCircuit: Form = ({ type, body }) => {
  expect(type).toBe(1016);
  return body.toString();
};
const inspection: Form = ({ type, body }) => {
  expect(type).toBe(1014);
  const { success, errors } = messages.InspectResponse.decode(body);
  expect(success).toBe(false);
  return errors.join();
};
const confirmation: Form = ({ type, body }) => {
  expect(type).toBe(20_002);
  const { code, message } = messages.ConfirmationError.decode(body);
  expect(code).toBe('VERIFY_ERROR');
  return message;
};
/** Routers find the terminator by its id, which is the address of the request. */
const failedTerminator: Form = ({ type, body }) => {
  expect(type).toBe(20_414);
  const { terminatorId, result, msg } = messages.CreateTunnelTerminatorV2Response.decode(body);
  expect([terminatorId, result]).toEqual(['terminator-1', 'FailedOther']);
  return msg;
};

const TUNNEL_TERMINATOR = messages.CreateTunnelTerminatorV2Request.encode({
  address: 'terminator-1',
});
const NOTHING: Buffer = Buffer.alloc(0);
const bodyOf = (type: number): Buffer => (type === 20_413 ? TUNNEL_TERMINATOR : NOTHING);

/** All requests of routers of versions 1.6 and 2: number, name in the public sources, refusal. */
const REQUESTS: readonly (readonly [number, string, Form])[] = [
  [1000, 'CircuitRequest', failedCircuit],
  [1011, 'CreateTerminatorRequest of the fabric', result],
  [1012, 'RemoveTerminatorRequest of the fabric', result],
  [1013, 'InspectRequest', inspection],
  [1018, 'UpdateTerminatorRequest of the fabric', result],
  [1036, 'VerifyRouter', result],
  [1038, 'RemoveTerminatorsRequest', result],
  [1039, 'QuiesceRouterRequest', result],
  [1040, 'DequiesceRouterRequest', result],
  [1043, 'DecommissionRouterRequest', result],
  [1052, 'UpdateRouterInterfaces', result],
  [20_205, 'CreateCircuitRequest', error],
  [20_207, 'CreateTerminatorRequest', error],
  [20_209, 'UpdateTerminatorRequest', error],
  [20_211, 'RemoveTerminatorRequest', error],
  [20_216, 'CreateTerminatorV2Request', error],
  [20_218, 'CreateCircuitV2Request', error],
  [20_220, 'CreateTunnelCircuitV2Request', error],
  [20_222, 'CreateCircuitV3Request', error],
  [20_303, 'EnrollmentExtendRouterVerifyRequest', confirmation],
  [20_400, 'CreateApiSessionRequest', error],
  [20_402, 'CreateCircuitForServiceRequest', error],
  [20_406, 'CreateTunnelTerminatorRequest', error],
  [20_408, 'UpdateTunnelTerminatorRequest', error],
  [20_410, 'RemoveTunnelTerminatorRequest', error],
  [20_413, 'CreateTunnelTerminatorRequestV2', failedTerminator],
];

/** What routers tell without waiting, or what a message of its own follows. */
const REPORTS: readonly (readonly [number, string])[] = [
  [-33, 'a probe'],
  [1003, 'LinkConnected'],
  [1004, 'Fault'],
  [1007, 'Metrics'],
  [1010, 'TraceEvent'],
  [1022, 'RouteResult'],
  [1034, 'CircuitConfirmation'],
  [1035, 'RouterLinks'],
  [1053, 'LinkState'],
  [1054, 'Alerts'],
  [1055, 'RequestClusterMembers'],
  [1056, 'UpdateLinkListeners'],
  [20_001, 'ClientHello'],
  [20_203, 'ApiSessionHeartbeat'],
  [20_204, 'RequestClientReSync'],
  [20_213, 'ValidateSessionsRequest'],
  [20_214, 'HealthEvent'],
  [20_302, 'EnrollmentExtendRouterRequest'],
  [20_404, 'ListServicesRequest'],
  [20_412, 'TunnelHealthEvent'],
  [20_415, 'ConnectEvents'],
  [20_505, 'SubscribeToDataModelRequest'],
  [4711, 'a type that nobody knows'],
];

let wire: Wire;
let handlers: Map<number, FrameHandler>;
let faults: unknown[];
let channel: ControlChannel;

beforeEach(() => {
  wire = new Wire();
  faults = [];
  handlers = new Map();
  channel = new ControlChannel(new Underlay(wire, new FrameReader(FRAME_LIMITS)), {
    handlers,
    onUnknown: () => undefined,
    onError: (fault) => faults.push(fault),
    onLost: () => undefined,
    onEnd: () => undefined,
  });
  channel.start();
});

async function arrive(type: number, body = NOTHING, headers = new Map<number, Buffer>()) {
  wire.push(encodeFrame({ type, sequence: SEQUENCE, headers, body }));
  // Also what the handler answers when its work is over.
  for (let i = 0; i < 3; i += 1) await new Promise((resolve) => setImmediate(resolve));
}

const failing: FrameHandler = () => Promise.reject(new Error('the database does not answer'));

function onlyAnswer(): Frame {
  const [answer, ...others] = wire.written;
  expect(others).toEqual([]);
  if (!answer) throw new Error('no answer');
  expect(readUint32(answer.headers.get(HEADER.replyFor))).toBe(SEQUENCE);
  return answer;
}

describe('the request', () => {
  test.each(REQUESTS)('%i (%s) is refused when nothing serves it', async (type, _, form) => {
    await arrive(type, bodyOf(type));
    expect(form(onlyAnswer())).toBe('the controller does not serve this request');
  });

  test.each(REQUESTS)('%i (%s) is refused when its work fails', async (type, _, form) => {
    handlers.set(type, failing);
    await arrive(type, bodyOf(type));
    expect(form(onlyAnswer())).toBe('this can not be done now');
    expect(faults).toHaveLength(1);
  });

  test.each(REQUESTS)('%i (%s) is not answered twice', async (type) => {
    handlers.set(type, (frame) => {
      channel.result(frame, false, 'another reason');
      throw new Error('after the answer');
    });
    await arrive(type, bodyOf(type));
    expect(onlyAnswer().body.toString()).toBe('another reason');
  });

  test('that is too long is refused, too', async () => {
    handlers.set(1038, () => undefined);
    await arrive(1038, Buffer.alloc((1 << 20) + 1));
    expect(result(onlyAnswer())).toBe('this can not be done now');
  });

  test('of which nothing can be read is refused without its parts', async () => {
    await arrive(20_413, Buffer.from('0b0b0b0b0b7f', 'hex'));
    const answer = onlyAnswer();
    expect(answer.type).toBe(20_414);
    expect(readText(answer.body)).toContain('does not serve');
  });

  test.each(REQUESTS)('%i (%s) that answers another one stays without', async (type) => {
    await arrive(type, NOTHING, new Map([[HEADER.replyFor, uint32Value(4)]]));
    expect(wire.written).toEqual([]);
  });
});

describe('the report', () => {
  test.each(REPORTS)('%i (%s) needs no answer', async (type) => {
    await arrive(type);
    handlers.set(type, failing);
    await arrive(type);
    expect(wire.written).toEqual([]);
  });
});
