import type { LoginAttempt } from '../auth/index.js';
import type { Cursor, LoggedChange } from '../kernel/request/store-port.js';
import type { Spending } from '../limits/index.js';
import type { ProcessMetrics } from '../observability/index.js';
import type { SiblingWrite } from '../store/model-store.js';

/** The facts that a worker needs from the first process to start. */
export interface WorkerStart {
  readonly databaseUrl: string;
  /** The same for all processes of a controller. */
  readonly instanceId: string;
  /** The position of the change feed from which on the worker gets all changes. */
  readonly position: Cursor;
  /** Whether the first process wants to know of logins. */
  readonly reportsLogins: boolean;
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
  readonly stop: { readonly body: null };
};

/** Messages of a worker to the first process. */
export type ToFirst = {
  /** The worker serves connections. */
  readonly ready: { readonly body: null };
  /** The worker ends: it takes no further connections. */
  readonly ending: { readonly body: null };
  /** The connection with this id was closed. */
  readonly closed: { readonly body: { readonly id: number } };
  /** A write of this worker; the answer says that all other processes have applied it. */
  readonly written: { readonly body: SiblingWrite; readonly answer: boolean };
  readonly spent: { readonly body: Spending };
  /** A login that this worker served. */
  readonly login: { readonly body: LoginAttempt };
  /** Asks for the metrics of all other processes. */
  readonly metrics: { readonly body: null; readonly answer: readonly ProcessMetrics[] };
};
