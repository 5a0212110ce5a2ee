import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startControllerProcess, type TestController } from '../../support/controller.js';
import { eventually } from '../../support/eventually.js';

/** A controller sends its traces to a collector that speaks OTLP over HTTP. */

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 2 is a server, 3 a client. */
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

interface Received {
  readonly resourceSpans: readonly {
    readonly resource: Pick<Span, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

let collector: Server;
let controller: TestController;
const received: Received[] = [];
let text = '';

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      text += body;
      if (request.url === '/v1/traces') received.push(JSON.parse(body) as Received);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo;
  controller = await startControllerProcess({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
      OTEL_SERVICE_NAME: 'ctrl-of-the-test',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
  });
});
afterAll(async () => {
  await controller.stop();
  collector.close();
  collector.closeAllConnections();
  await once(collector, 'close');
});

const valuesOf = ({ attributes }: Pick<Span, 'attributes'>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const spans = (): Span[] =>
  received.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans: some }) => some)),
  );

const PARENT = '00f067aa0ba902b7';

/** The span of the request of a trace, and those below it, once the request has ended. */
async function traced(
  traceId: string,
  send: (headers: Record<string, string>) => Promise<unknown>,
): Promise<{ server: Span; statements: Span[] }> {
  await send({ traceparent: `00-${traceId}-${PARENT}-01` });
  const { value } = await eventually(() => {
    const all = spans().filter((span) => span.traceId === traceId);
    const server = all.find(({ kind }) => kind === 2);
    if (!server) throw new Error('no span of the request yet');
    return { server, statements: all.filter((span) => span !== server) };
  });
  return value;
}

const newTrace = (last: number): string =>
  `4bf92f3577b34da6a3ce929d0e0e47${String(last).padStart(2, '0')}`;

describe('a traced request', () => {
  test('is a span below that of its caller, with route and outcome', async () => {
    const { server } = await traced(newTrace(1), (headers) =>
      controller.rest('GET', '/identities/nobody?secret=x1y2z3', undefined, headers),
    );
    expect(server).toMatchObject({
      parentSpanId: PARENT,
      name: 'GET /edge/management/v1/identities/{id}',
    });
    expect(valuesOf(server)).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/edge/management/v1/identities/{id}',
      'http.response.status_code': 404,
      'overgraph.operation': 'detailIdentity',
      'overgraph.request_id': expect.stringMatching(/^[\w.-]{10,}$/),
    });
    const of = received[0]?.resourceSpans[0]?.resource;
    expect(of && valuesOf(of)).toMatchObject({
      'service.name': 'ctrl-of-the-test',
      'deployment.environment.name': 'test',
    });
  });

  test('has its statements below it, reads and those of a transaction, without values', async () => {
    const name = 'value-of-the-name';
    const written = await traced(newTrace(2), (headers) =>
      controller.rest('POST', '/services', { name, encryptionRequired: true }, headers),
    );
    const texts = written.statements.map((span) => String(valuesOf(span)['db.query.text']));
    expect(texts.join('\n')).toMatch(/insert into .*service/i);
    expect(texts.join('\n')).toMatch(/^commit/im);
    for (const span of written.statements) {
      expect(span).toMatchObject({ parentSpanId: written.server.spanId, kind: 3 });
      expect(valuesOf(span)).toMatchObject({ 'db.system.name': 'postgresql' });
    }
    const read = await traced(newTrace(3), (headers) =>
      controller.rest('GET', `/services?filter=name="${name}"`, undefined, headers),
    );
    expect(read.statements).toHaveLength(1);
    expect(text).not.toContain(name);
    expect(text).not.toContain('x1y2z3');
  });

  test('of the graph is named by its field', async () => {
    const { server } = await traced(newTrace(4), (headers) =>
      controller.graphql(
        '{ identities(filter: "name = \\"l1teral\\"") { totalCount } }',
        {},
        headers,
      ),
    );
    expect(server.name).toBe('POST /graphql identities');
    expect(text).not.toContain('l1teral');
  });

  test('is one that its caller, or the sampler, has chosen', async () => {
    for (const traceparent of [
      `00-${newTrace(5)}-${PARENT}-00`,
      `00-${'0'.repeat(32)}-${PARENT}-01`,
      `ff-${newTrace(6)}-${PARENT}-01`,
      'nonsense',
    ]) {
      await controller.rest('GET', '/config-types', undefined, { traceparent });
    }
    await controller.rest('GET', '/config-types');
    // What was left out would have been sent before this one.
    await traced(newTrace(7), (headers) => controller.rest('GET', '/services', undefined, headers));
    expect(spans().filter(({ name }) => name.endsWith('/config-types'))).toStrictEqual([]);
  });
});

describe('without a collector', () => {
  test('nothing that sends traces is loaded', async () => {
    const script = `
      const { openTraces } = await import('./dist/src/requests/observability/index.js');
      await import('./dist/src/programs/controller/watch-controller.js');
      const { createRequire } = await import('node:module');
      const loaded = () =>
        Object.keys(createRequire(process.cwd() + '/x.js').cache).filter((path) =>
          /opentelemetry.(sdk|exporter|otlp|resources)/.test(path)).length;
      const before = loaded();
      await openTraces(() => undefined);
      console.log(JSON.stringify([before, loaded() > 0]));`;
    const args = ['--import', 'reflect-metadata', '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(JSON.parse(stdout)).toStrictEqual([0, true]);
  });
});
