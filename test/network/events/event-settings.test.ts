import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StartError } from '../../../src/base/start-error.js';
import { readEventSettings, type EventSinkSettings } from '../../../src/network/events/index.js';

let folder: string;
let file: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'overgraph-events-'));
  file = join(folder, 'events.yml');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const unknown: string[] = [];

function read(content: string): readonly EventSinkSettings[] {
  writeFileSync(file, content);
  unknown.length = 0;
  return readEventSettings(file, (name) => unknown.push(name));
}

function refusal(content: string): string {
  try {
    read(content);
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  throw new Error('accepted');
}

/** The configuration of one sink, in JSON. */
const sink = (subscription: object, handler: object = { type: 'stdout', format: 'json' }): string =>
  JSON.stringify({ log: { subscriptions: [subscription], handler } });

const FILE = { type: 'file', format: 'json', path: '/var/log/events.json' };

const subscribed = (subscription: object) => read(sink(subscription))[0]?.subscriptions[0];

describe('the section of events', () => {
  test('is read as the public controller reads it', () => {
    const sinks = read(`
events:
  jsonLogger:
    subscriptions:
      - type: entityChange
        include: [services, identities]
        propagateAlways: "true"
      - type: fabric.circuits
        include: created
      - type: entityCount
        interval: 1m30s
      - type: metrics
        sourceFilter: .*
        metricFilter: .*
      - type: usage
        version: 3
    handler:
      type: file
      format: json
      path: /var/log/ziti/events.json
      maxsizemb: 5
      maxbackups: 3
      bufferSize: 20000
      lineEnd: "\\r\\n"
`);
    const plain = { include: undefined, propagateAlways: false, intervalMillis: 300_000 };
    expect(sinks).toStrictEqual([
      {
        name: 'jsonLogger',
        subscriptions: [
          {
            type: 'entityChange',
            namespace: 'entityChange',
            include: new Set(['services', 'identities']),
            propagateAlways: true,
            intervalMillis: 300_000,
          },
          {
            ...plain,
            type: 'circuit',
            namespace: 'fabric.circuits',
            include: new Set(['created']),
          },
          { ...plain, type: 'entityCount', namespace: 'entityCount', intervalMillis: 90_000 },
          {
            ...{ ...plain, type: 'metrics', namespace: 'metrics' },
            ...{ sourceFilter: '.*', metricFilter: '.*' },
          },
          { ...plain, type: 'usage', namespace: 'usage', usageVersion: 3, counters: undefined },
        ],
        target: { path: '/var/log/ziti/events.json', maxBytes: 5 * 1024 * 1024, maxBackups: 3 },
        lineEnd: '\r\n',
        bufferSize: 20_000,
      },
    ]);
  });

  test('is read from the example of the documents', () => {
    const page = readFileSync('docs/events.md', 'utf8');
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    const [settings] = read(example);
    expect(unknown).toStrictEqual([]);
    expect(settings?.name).toBe('jsonLogger');
    expect(settings?.subscriptions.map(({ namespace }) => namespace)).toStrictEqual([
      'entityChange',
      'authentication',
      'fabric.circuits',
      'entityCount',
    ]);
  });

  test('has defaults', () => {
    const [settings] = read(sink({ type: 'router' }, FILE));
    expect(settings?.target).toStrictEqual({
      path: '/var/log/events.json',
      maxBytes: 10 * 1024 * 1024,
      maxBackups: 0,
    });
    expect([settings?.lineEnd, settings?.bufferSize]).toStrictEqual(['\n', 10_000]);
  });

  test.each([
    ['edge.apiSessions', 'apiSession', 'edge.apiSessions'],
    ['fabric.circuits', 'circuit', 'fabric.circuits'],
    ['edge.entityCounts', 'entityCount', 'edge.entityCounts'],
    ['fabric.links', 'link', 'fabric.links'],
    ['fabric.routers', 'router', 'fabric.routers'],
    ['services', 'service', 'service.events'],
    ['edge.sessions', 'session', 'edge.sessions'],
    ['fabric.terminators', 'terminator', 'fabric.terminators'],
    ['fabric.usage', 'usage', 'fabric.usage'],
    ['edge.authentications', 'authentication', 'authentication'],
    ...['alert', 'cluster', 'connect', 'entityChange', 'metrics', 'sdk', 'service'].map(
      (name) => [name, name, name] as const,
    ),
  ])('knows the name %s', (name, type, namespace) => {
    expect(subscribed({ type: name })).toMatchObject({ type, namespace });
  });

  test('may name types that do not exist', () => {
    const [settings] = read(sink({ type: 'edge.tea' }));
    expect([settings?.subscriptions, unknown]).toStrictEqual([[], ['edge.tea']]);
  });
});

describe('a wrong file', () => {
  test.each([
    ['no object', '- a', 'is not an object'],
    ['a sink without handler', '{"log": {"subscriptions": []}}', 'log.handler is missing'],
    [
      'a sink without subscriptions',
      JSON.stringify({ log: { handler: FILE } }),
      'log.subscriptions is missing: give a list of objects with a type',
    ],
    [
      'a subscription without type',
      sink({ include: 'created' }),
      'log.subscriptions.0.type is missing',
    ],
    [
      'an unknown kind of circuits',
      sink({ type: 'circuit', include: ['made'] }),
      'log.subscriptions.0.include "made" is none of created, pathUpdated, deleted, failed',
    ],
    [
      'sessions that are refreshed',
      sink({ type: 'apiSession', include: 'refreshed' }),
      'log.subscriptions.0.include "refreshed" is none of created, deleted',
    ],
    [
      'a wrong interval',
      sink({ type: 'entityCount', interval: 'often' }),
      'log.subscriptions.0.interval "often" is not a duration from 1s to 168h: give a duration such as 5m',
    ],
    [
      'an interval beyond the timers',
      sink({ type: 'entityCount', interval: '1000h' }),
      'log.subscriptions.0.interval "1000h" is not a duration from 1s to 168h',
    ],
    [
      'another version of usage',
      sink({ type: 'fabric.usage', version: '4' }),
      'log.subscriptions.0.version 4 is neither 2 nor 3: set it to 2 or 3',
    ],
    [
      'an unknown counter of usage',
      sink({ type: 'usage', version: 3, include: ['ingress'] }),
      'log.subscriptions.0.include "ingress" is none of ingress.rx, ingress.tx, egress.rx',
    ],
    [
      'a filter that is no pattern',
      sink({ type: 'metrics', metricFilter: '(' }),
      'log.subscriptions.0.metricFilter "(" is not a regular expression: give a regular expression for names such as link.latency.p95',
    ],
    [
      'a filter of a megabyte',
      sink({ type: 'metrics', sourceFilter: 'x'.repeat(1_000_000) }),
      'log.subscriptions.0.sourceFilter is longer than 1000 characters',
    ],
    [
      'a message bus',
      sink({ type: 'router' }, { type: 'amqp', format: 'json' }),
      'log.handler.type "amqp" is not available here: set it to file or stdout',
    ],
    [
      'a service bus',
      sink({ type: 'router' }, { type: 'servicebus', format: 'json' }),
      'log.handler.type "servicebus" is not available here: set it to file or stdout',
    ],
    [
      'another format',
      sink({ type: 'router' }, { ...FILE, format: 'plain' }),
      'log.handler.format is not json: set it to json',
    ],
    [
      'a file without path',
      sink({ type: 'router' }, { type: 'file', format: 'json' }),
      'log.handler.path is missing: give the path of a file',
    ],
    [
      'a size of nothing',
      sink({ type: 'router' }, { ...FILE, maxsizemb: 0 }),
      'log.handler.maxsizemb is less than 1: give the largest size of a file in MB',
    ],
    [
      'two sinks with one file',
      JSON.stringify(
        Object.fromEntries(['a', 'b'].map((name) => [name, { subscriptions: [], handler: FILE }])),
      ),
      'b.handler.path is the file of another sink: give the path of a file',
    ],
    ['no YAML', 'a:\n  - b\n c: d', 'line 3'],
  ])('with %s is refused in one line', (_name, content, fault) => {
    const message = refusal(content);
    expect(message).toContain(`overgraph: OVERGRAPH_EVENTS ${file}: `);
    expect(message).toContain(fault);
    expect(message).not.toContain('\n');
  });

  test('that does not exist is refused', () => {
    expect(() => readEventSettings(join(folder, 'none.yml'), () => undefined)).toThrow(
      'none.yml can not be read: set it to stdout or the path of a YAML or JSON file',
    );
  });
});
