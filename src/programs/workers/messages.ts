import type { LoginAttempt } from '../../trust/auth/index.js';
import type { TraceToggleResult } from '../../network/control/index.js';
import type { LiveEvent, Subscription } from '../../network/events/index.js';
import type { TogglePipeTracesRequest } from '../../network/messages/index.js';
import type { Cursor, LoggedChange } from '../../kernel/request/store-port.js';
import type { Spending } from '../../requests/limits/index.js';
import type { ProcessMetrics } from '../../requests/observability/index.js';
import type { SiblingWrite } from '../../data/store/model-store.js';

/** The facts that a worker needs from the first process to start. */
export interface WorkerStart {
  readonly databaseUrl: string;
  /** The position of the change feed from which on the worker gets all changes. */
  readonly position: Cursor;
  /** Whether the first process wants to know of logins. */
  readonly reportsLogins: boolean;
}

/** Events of a stream to a client of a worker. */
export interface LiveBatch {
  /** The id of the stream, by its worker. */
  readonly id: number;
  readonly events: readonly LiveEvent[];
}

/** The state of the first process that health checks of workers depend on. */
export interface Pulse {
  readonly feedSilenceMillis: number;
  readonly isWriting: boolean;
}

/** Messages of the first process to a worker. */
export type ToWorker = {
  readonly start: { readonly body: WorkerStart };
  /** A connection for the worker, in the same message, and what was read of it. */
  readonly connection: {
    readonly body: { readonly id: number; readonly start: Buffer | undefined };
  };
  /** Changes that the feed delivers. */
  readonly changes: { readonly body: readonly LoggedChange[] };
  readonly pulse: { readonly body: Pulse };
  /** A write of another process; the answer says that it is applied. */
  readonly written: { readonly body: SiblingWrite; readonly answer: boolean };
  readonly spent: { readonly body: Spending };
  /** The key files have changed. */
  readonly newKeys: { readonly body: null };
  readonly metrics: { readonly body: null; readonly answer: ProcessMetrics };
  /** Whether the first process wants to know of logins; the answer says that it counts from now on. */
  readonly reportLogins: { readonly body: boolean; readonly answer: boolean };
  /** The answer says that the client has taken the events. */
  readonly events: { readonly body: LiveBatch; readonly answer: boolean };
  /** The first process has ended the stream with this id. */
  readonly streamEnded: { readonly body: { readonly id: number } };
  readonly stop: { readonly body: null };
};

/** Messages of a worker to the first process. */
export type ToFirst = {
  /** The worker serves connections. */
  readonly ready: { readonly body: null };
  /** The worker ends: it takes no further connections. */
  readonly ending: { readonly body: null };
  /** The worker has the connection with this id. */
  readonly taken: { readonly body: { readonly id: number } };
  /** The connection with this id was closed. */
  readonly closed: { readonly body: { readonly id: number } };
  /** A write of this worker; the answer says that all other processes have applied it. */
  readonly written: { readonly body: SiblingWrite; readonly answer: boolean };
  readonly spent: { readonly body: Spending };
  /** A login that this worker served. */
  readonly login: { readonly body: LoginAttempt };
  /** A client of this worker watches events; the answer says that they come from now on. */
  readonly openStream: {
    readonly body: { readonly id: number; readonly subscriptions: readonly Subscription[] };
    readonly answer: boolean;
  };
  /** The client has gone. */
  readonly closeStream: { readonly body: { readonly id: number } };
  /** A client of this worker switches traces of routers on or off. */
  readonly toggleTraces: {
    readonly body: TogglePipeTracesRequest;
    readonly answer: TraceToggleResult;
  };
  /** Asks for the metrics of all other processes. */
  readonly metrics: { readonly body: null; readonly answer: readonly ProcessMetrics[] };
};
