import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import {
  createTraceState,
  diag,
  DiagLogLevel,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { RequestNote } from './request-note.js';
import type { EndedRequest } from './request-observer.js';
import type { Traces } from './traces.js';

interface Running {
  readonly note: RequestNote;
  readonly span: Span;
  readonly context: Context;
}

const MAX_TEXT_LENGTH = 2_000;
/** Longest wait at the stop for a collector that does not answer. */
const PATIENCE_MILLIS = 2_000;

/** Records spans with the libraries of OpenTelemetry and sends them as OTLP over HTTP. */
export class OtlpTraces implements Traces {
  readonly #provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'overgraph' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  readonly #tracer: Tracer = this.#provider.getTracer('overgraph');
  readonly #current = new AsyncLocalStorage<Running>();
  readonly #running = new WeakMap<RequestNote, Running>();

  constructor(onFault: (message: string) => void) {
    const ignore = (): void => undefined;
    const logger = { error: onFault, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
    diag.setLogger(logger, DiagLogLevel.ERROR);
  }

  begin(note: RequestNote, request: IncomingMessage): void {
    const parent = parentContextOf(request);
    const span = this.#tracer.startSpan(note.method, { kind: SpanKind.SERVER }, parent);
    this.#running.set(note, { note, span, context: trace.setSpan(parent, span) });
  }

  run(note: RequestNote, serve: () => void): void {
    const running = this.#running.get(note);
    if (running) this.#current.run(running, serve);
    else serve();
  }

  end({ note, status }: EndedRequest): void {
    const span = this.#running.get(note)?.span;
    if (!span) return;
    const { method, route, door, operation, requestId, identityId, address } = note;
    span.updateName(door === 'graphql' ? `${method} ${route} ${operation}` : `${method} ${route}`);
    span.setAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'client.address': address,
      'overgraph.door': door,
      'overgraph.operation': operation,
      'overgraph.request_id': requestId,
      ...(identityId === undefined ? {} : { 'overgraph.identity_id': identityId }),
    });
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  /** Begins the span of a statement. Work of the controller itself has no request and no trace. */
  readonly statement = (text: string): ((isFailed: boolean) => void) | undefined => {
    const running = this.#current.getStore();
    if (!running || running.note.isOver || !running.span.isRecording()) return undefined;
    const [, operation = 'SQL'] = /^\s*(\w+)/.exec(text) ?? [];
    const span = this.#tracer.startSpan(
      operation.toUpperCase(),
      {
        kind: SpanKind.CLIENT,
        attributes: {
          'db.system.name': 'postgresql',
          'db.operation.name': operation.toUpperCase(),
          'db.query.text': text.slice(0, MAX_TEXT_LENGTH),
        },
      },
      running.context,
    );
    return (isFailed) => {
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  };

  async stop(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MILLIS);
    });
    await Promise.race([this.#provider.shutdown().catch(() => undefined), patience]);
    clearTimeout(timer);
  }
}

/** W3C Trace Context, 3.2: version, id of the trace, id of the span, flags. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** The span of the caller from its trace headers, if they are valid. */
function parentContextOf({ headers }: IncomingMessage): Context {
  const { traceparent, tracestate } = headers;
  const [, traceId = '', spanId = '', flags = ''] =
    TRACEPARENT.exec(typeof traceparent === 'string' ? traceparent : '') ?? [];
  const spanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(typeof tracestate === 'string' ? { traceState: createTraceState(tracestate) } : {}),
  };
  return isSpanContextValid(spanContext)
    ? trace.setSpanContext(ROOT_CONTEXT, spanContext)
    : ROOT_CONTEXT;
}
