import { describe, expect, test } from '@jest/globals';
import { metricsEvents, ServiceEvents, usageEvents } from '../../../src/network/events/index.js';
import { textOfEvent, type NetworkEvent } from '../../../src/network/events/network-event.js';
import { readStreamRequest } from '../../../src/network/events/stream-request.js';
import type { FabricFact, MetricsReport, RouteFailure } from '../../../src/network/fabric/index.js';
import { AT, eventsTo } from './support.js';

/** Events with numbers: usage, metrics, and the dials of services. */

const REPORT: MetricsReport = {
  routerId: 'r',
  measuredAt: AT,
  tags: {},
  metrics: [],
  usage: [],
  isRepeated: false,
};
const NO_LINKS = { get: () => undefined };
const HEAD = '"event_src_id":"ctrl","timestamp":"2026-01-02T03:04:05.678000000Z"';

const textOf = (event: NetworkEvent): string => textOfEvent(event, event.type, 'ctrl');

/** What a subscription gets of events, when it is read as clients write it. */
async function wanted(
  options: Readonly<Record<string, unknown>>,
  events: readonly NetworkEvent[],
): Promise<Record<string, unknown>[]> {
  const body = JSON.stringify({ format: 'json', subscriptions: [options] });
  const { events: sink, written } = eventsTo(...readStreamRequest(body, () => undefined));
  for (const event of events) sink.publish(event);
  return written();
}

describe('usage', () => {
  const usage = {
    circuitId: 'c',
    startedAt: new Date(1_760_000_040_000),
    seconds: 60,
    bytes: { 'ingress.tx': 2, 'ingress.rx': 1 },
    tags: { serviceId: 's' },
  };
  const events = usageEvents({ ...REPORT, usage: [usage] }, AT);

  test('has an event for each counter, and one for all', () => {
    const TAIL = '"interval_start_utc":1760000040,"interval_length":60,"tags":{"serviceId":"s"}}';
    expect(events.map(textOf)).toStrictEqual([
      `{"namespace":"usage",${HEAD},"version":2,"event_type":"usage.ingress.rx","source_id":"r","circuit_id":"c","usage":1,${TAIL}`,
      `{"namespace":"usage",${HEAD},"version":2,"event_type":"usage.ingress.tx","source_id":"r","circuit_id":"c","usage":2,${TAIL}`,
      `{"namespace":"usage",${HEAD},"version":3,"source_id":"r","circuit_id":"c","usage":{"ingress.rx":1,"ingress.tx":2},${TAIL}`,
    ]);
    expect(events.map(({ frameType }) => frameType)).toStrictEqual([
      undefined,
      undefined,
      'usage.v3',
    ]);
  });

  test('without tags has null', () => {
    const [event] = usageEvents({ ...REPORT, usage: [{ ...usage, tags: {} }] }, AT);
    expect(event?.members.tags).toBeNull();
  });

  test.each([
    ['no version', {}, [2, 2]],
    ['version 2', { version: 2 }, [2, 2]],
    ['version 3', { version: '3' }, [3]],
    ['version 3 without counters', { version: 3, include: [] }, [3]],
    ['version 3 with a counter that is absent', { version: 3, include: ['fabric.rx'] }, []],
  ])('of %s is what a subscription gets', async (_, options, versions) => {
    const got = await wanted({ type: 'usage', options }, events);
    expect(got.map(({ version }) => version)).toStrictEqual(versions);
  });
});

describe('metrics', () => {
  const metrics: MetricsReport['metrics'] = [
    { kind: 'meter', name: 'link.rx.msgrate', entityId: 'l', values: { count: 3, m1_rate: 0.5 } },
    { kind: 'intValue', name: 'xgress.acks', values: { value: 0 } },
  ];
  const ends = { sourceId: 'r', destinationId: 'r2' } as const;

  test('have the routers of the link that is measured', () => {
    const links = { get: (id: string) => (id === 'l' ? (ends as never) : undefined) };
    const [ofLink, ofRouter] = metricsEvents({ ...REPORT, metrics }, links).map(textOf);
    expect(ofLink).toMatch(
      `{"namespace":"metrics",${HEAD},"metric_type":"meter","source_id":"r","source_entity_id":"l","version":3,` +
        '"metric":"link.rx.msgrate","metrics":{"count":3,"m1_rate":0.5},"tags":{"sourceRouterId":"r","targetRouterId":"r2"},"source_event_id":"',
    );
    expect(ofRouter).toMatch(
      `{"namespace":"metrics",${HEAD},"metric_type":"intValue","source_id":"r","version":3,"metric":"xgress.acks","metrics":{"value":0},"source_event_id":"`,
    );
  });

  test('of a report have one source event', () => {
    const ids = metricsEvents({ ...REPORT, metrics }, NO_LINKS).map(
      ({ members }) => members.source_event_id,
    );
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    ['all', {}, ['count m1_rate', 'value']],
    ['empty filters', { sourceFilter: '', metricFilter: '' }, ['count m1_rate', 'value']],
    ['a number', { metricFilter: 'm1_rate$' }, ['m1_rate']],
    ['a single number', { metricFilter: '^xgress\\.acks\\.$' }, ['value']],
    ['the syntax of the field', { metricFilter: '(?i)XGRESS' }, ['value']],
    ['another router', { sourceFilter: '^x' }, []],
  ])('are filtered by %s', async (_, options, expected) => {
    const events = metricsEvents({ ...REPORT, metrics }, NO_LINKS);
    const got = await wanted({ type: 'metrics', options }, events);
    const names = got.map((event) => Object.keys(event.metrics as object).join(' '));
    expect(names).toStrictEqual(expected);
  });

  test('are filtered in linear time', async () => {
    const long = { kind: 'intValue', name: `${'a.'.repeat(200)}!`, values: { value: 1 } } as const;
    const events = metricsEvents({ ...REPORT, metrics: [long] }, NO_LINKS);
    // A pattern that goes back would take longer than the age of the world.
    const options = { metricFilter: '^(([a-z.])+)+$' };
    expect(await wanted({ type: 'metrics', options }, events)).toStrictEqual([]);
  });
});

describe('the dials of a service', () => {
  const ids = { serviceId: 's', terminatorId: 't' };
  const dialed = (failure?: RouteFailure, isAtHost = failure !== undefined): FabricFact => ({
    ...{ kind: 'dialAnswered', ...ids, failure, isAtHost },
  });
  const failed = (failure: 'no path' | 'no answer'): FabricFact => ({
    ...{ kind: 'circuitFailed', circuitId: 'c', sessionId: 'd', serviceId: 's', instanceId: '' },
    ...{ failure, millis: 1 },
  });

  /** The events of these facts, at the end of the minute. */
  function counted(facts: readonly FabricFact[]): NetworkEvent[] {
    const events: NetworkEvent[] = [];
    const service = new ServiceEvents(
      (event) => events.push(event),
      () => AT,
    );
    for (const fact of facts) service.applyFact(fact);
    expect(events).toStrictEqual([]);
    service.flush();
    return events;
  }

  test('are counted for each minute', () => {
    const [event, ...others] = counted([dialed(), dialed()]);
    expect(others).toStrictEqual([]);
    expect(event && textOf(event)).toBe(
      `{"namespace":"service",${HEAD},"version":2,"event_type":"service.dial.success","terminator_id":"t","service_id":"s",` +
        '"count":2,"interval_start_utc":1767323040,"interval_length":60}',
    );
  });

  test.each<[string, FabricFact, [string, string][]]>([
    ['a timeout', dialed('no answer'), [['timeout', 't']]],
    [
      'a failed host',
      dialed('generic'),
      [
        ['error_other', ''],
        ['fail', 't'],
      ],
    ],
    ['a failed router', dialed('generic', false), [['error_other', '']]],
    [
      'no terminator',
      dialed('invalid terminator'),
      [
        ['terminator.invalid', 't'],
        ['fail', 't'],
      ],
    ],
    ['a wrong one', dialed('misconfigured terminator', false), [['terminator.misconfigured', 't']]],
    [
      'a slow host',
      dialed('dial timed out'),
      [
        ['terminator.timeout', 't'],
        ['fail', 't'],
      ],
    ],
    [
      'a refusal',
      dialed('connection refused'),
      [
        ['terminator.connection_refused', 't'],
        ['fail', 't'],
      ],
    ],
    ['no path', failed('no path'), [['error_other', '']]],
    ['an answer that was counted', failed('no answer'), []],
    ['an event of its own', { kind: 'routerOnline', routerId: 'r' }, []],
  ])('are counted by %s', (_, fact, expected) => {
    expect(
      counted([fact]).map(({ members }) => [members.event_type, members.terminator_id]),
    ).toStrictEqual(expected.map(([type, terminator]) => [`service.dial.${type}`, terminator]));
  });

  test('of the next minute come apart', () => {
    const events: NetworkEvent[] = [];
    let now = AT;
    const service = new ServiceEvents(
      (event) => events.push(event),
      () => now,
    );
    service.applyFact(dialed());
    now = new Date(AT.getTime() + 60_000);
    service.applyFact(dialed());
    service.flush();
    expect(
      events.map(({ members: { count, interval_start_utc } }) => [count, interval_start_utc]),
    ).toStrictEqual([
      [1, 1_767_323_040],
      [1, 1_767_323_100],
    ]);
  });
});
