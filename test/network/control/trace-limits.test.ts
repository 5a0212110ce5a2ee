import { expect, test } from '@jest/globals';
import { CONTENT } from '../../../src/network/control/content-types.js';
import { RouterTraces } from '../../../src/network/control/router-traces.js';
import { MAX_TRACES_A_SECOND, traceHandler } from '../../../src/network/control/trace-handler.js';
import { withToggle } from '../../../src/network/control/trace-toggles.js';
import { messages, type ChannelTrace } from '../../../src/network/messages/emitted/messages.js';

/* The bounds of traces. */

const frameOf = (body: Buffer) => ({
  ...{ type: CONTENT.trace, sequence: 1, headers: new Map<number, Buffer>() },
  body,
});
const TRACE = messages.ChannelTrace.encode({ contentType: 1005 });

function handled({ areWanted = true } = {}) {
  const traces: ChannelTrace[] = [];
  let now = new Date(0);
  const [, handler] = traceHandler({
    areWanted: () => areWanted,
    onTrace: (trace) => traces.push(trace),
    now: () => now,
  });
  const passSecond = (): void => {
    now = new Date(now.getTime() + 1_000);
  };
  return { traces, handler, passSecond };
}

test('of more traces in a second than the limit, a router loses the others', async () => {
  const { traces, handler, passSecond } = handled();
  for (let i = 0; i < MAX_TRACES_A_SECOND + 10; i += 1) await handler(frameOf(TRACE));
  expect(traces).toHaveLength(MAX_TRACES_A_SECOND);
  passSecond();
  await handler(frameOf(TRACE));
  expect(traces).toHaveLength(MAX_TRACES_A_SECOND + 1);
});

test('an enormous trace is dropped, and one without a reader is not read', async () => {
  const { traces, handler } = handled();
  await handler(frameOf(messages.ChannelTrace.encode({ channel: 'x'.repeat(20_000) })));
  expect(traces).toEqual([]);
  const unwanted = handled({ areWanted: false });
  await unwanted.handler(frameOf(Buffer.from([0xff])));
  expect(unwanted.traces).toEqual([]);
});

const toggle = (enable: boolean, appRegex = '.*', pipeRegex = '.*') =>
  ({ enable, verbosity: 'ReportAll', appRegex, pipeRegex }) as const;

test('a toggle replaces an equal one, and the end of everything replaces all', () => {
  const [on, off, other] = [toggle(true, 'a'), toggle(false, 'a'), toggle(true, 'b')];
  expect(withToggle([on, other], off)).toEqual([other, off]);
  expect(withToggle([on, other], toggle(true))).toEqual([on, other, toggle(true)]);
  expect(withToggle([on, other], toggle(false))).toEqual([]);
});

test('a controller that does not serve the routers refuses toggles', async () => {
  const traces = new RouterTraces({
    routers: () => [],
    matching: () => Promise.resolve([]),
    isServing: () => false,
    onTrace: () => undefined,
    now: () => new Date(0),
    onError: (error) => {
      throw error;
    },
  });
  expect(await traces.toggle(toggle(true))).toEqual({
    isSuccess: false,
    text: 'another controller serves the routers: ask that one\n',
  });
});
