import { expect } from '@jest/globals';
import { CONTENT, HEADER } from '../../../src/network/control/content-types.js';
import { boolValue, textValue } from '../../../src/network/control/header-values.js';
import {
  messages,
  type TogglePipeTracesRequest,
} from '../../../src/network/messages/emitted/messages.js';
import { eventually } from '../../support/eventually.js';
import type { RoutingRouter } from './traffic-network.js';

/* Routers that trace. */

/** Has a router answer toggles by their patterns, or not at all; gives the toggles. */
export function toggled({ router }: RoutingRouter, isSilent = false): TogglePipeTracesRequest[] {
  const toggles: TogglePipeTracesRequest[] = [];
  const { onFrame } = router;
  router.onFrame = (frame) => {
    if (frame.type !== CONTENT.toggleTraces) return onFrame(frame);
    const toggle = messages.TogglePipeTracesRequest.decode(frame.body);
    toggles.push(toggle);
    const success = new Map([[HEADER.success, boolValue(true)]]);
    if (!isSilent) {
      router.answer(frame, CONTENT.result, textValue(`Link ${toggle.pipeRegex}\n`), success);
    }
    return true;
  };
  return toggles;
}

export const OFF = { enable: false, verbosity: 'ReportNone', appRegex: '.*' } as const;
export const ON = { enable: true, verbosity: 'ReportAll', appRegex: '.*' } as const;

export const arrived = (
  toggles: readonly object[],
  expected: readonly object[],
): Promise<unknown> =>
  eventually(() => {
    expect(toggles).toEqual(expected);
  });

/** A trace as a router sends it. */
export function traced({ id, router }: RoutingRouter, members: object = {}): void {
  const trace = {
    ...{ timestamp: 1_800_000_000_000_000_000, identity: id, channel: 'ctrl', isRx: true },
    ...{ contentType: 1005, sequence: 7, replyFor: -1, length: 12 },
    decode: Buffer.from('{"__decoder__":"CTRL","__message__":"Route"}'),
    ...members,
  };
  router.tell(CONTENT.trace, messages.ChannelTrace, trace);
}
