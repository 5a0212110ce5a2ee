import type { Child } from './child.js';
import type { Load } from './load.js';
import type { HttpRequest } from './reads.js';

/** The process of the simulated routers is started with the file of these. */
export interface SimulatedRouters {
  /** The key of all certificates. */
  readonly key: string;
  readonly routers: readonly {
    readonly id: string;
    readonly name: string;
    readonly cert: string;
  }[];
}

/** Some of the routers, by their places, and the server that they connect to. */
interface SomeRouters {
  readonly port: number;
  readonly from: number;
  readonly to: number;
}

/** Connects routers; earlier connections of them to this server are closed. */
export interface ConnectOrder extends SomeRouters {
  readonly kind: 'connect';
  readonly atOnce: number;
  readonly isAgain: boolean;
  readonly getsSessions: boolean;
  /** The links that they report. */
  readonly links: 'none' | 'in a row' | 'each with each';
}

/** Tokens of the API sessions of those who dial and host. */
export const API_SESSION = { dial: 'api-session-dial', host: 'api-session-host' } as const;

/** Hosts a service at a router, for the circuits that follow. */
export interface HostOrder {
  readonly kind: 'host';
  readonly port: number;
  readonly router: number;
  readonly sessionToken: string;
}

/** Makes circuits from the first router and ends them, ten at once or so many per second. */
export interface CircuitsOrder {
  readonly kind: 'circuits';
  readonly port: number;
  readonly sessionToken: string;
  readonly seconds: number;
  readonly perSecond?: number;
}

/** Makes one circuit, and tells what the routers and the client get. */
export interface SampleOrder {
  readonly kind: 'sample';
  readonly port: number;
  readonly sessionToken: string;
}

/** Creates terminators at the first router and removes them, ten at once. */
export interface TerminatorsOrder {
  readonly kind: 'terminators';
  readonly port: number;
  readonly sessionToken: string;
  readonly seconds: number;
}

/** Connects the first router anew, and waits for all API sessions. */
export interface FullStateOrder {
  readonly kind: 'full state';
  readonly port: number;
  readonly isCounted: boolean;
}

/** Logs in and out, and waits for all connected routers to learn of it. */
export interface ChangesOrder {
  readonly kind: 'changes';
  readonly port: number;
  readonly times: number;
}

/** Lets all connected routers send heartbeats. */
export interface BeatOrder {
  readonly kind: 'beat';
  readonly port: number;
  readonly seconds: number;
}

/** Some connected routers ask for the data model, and wait for the whole of it. */
export interface SubscribeOrder extends SomeRouters {
  readonly kind: 'subscribe';
}

/** Makes requests one after the other, each of which changes the data model of so many routers. */
export interface EditsOrder {
  readonly kind: 'edits';
  readonly port: number;
  readonly token: string;
  readonly requests: readonly HttpRequest[];
  readonly routers: number;
}

/** What the process of the simulated routers can be ordered to do. */
export type RoutersOrder =
  | ConnectOrder
  | HostOrder
  | CircuitsOrder
  | SampleOrder
  | TerminatorsOrder
  | FullStateOrder
  | ChangesOrder
  | SubscribeOrder
  | EditsOrder
  | BeatOrder;

export interface Connected {
  readonly seconds: number;
  /** Connections that were made, also those that were not accepted. */
  readonly attempts: number;
  readonly links: number;
}

/** What routers and the client get of a circuit, without what differs by nature. */
export interface Sample {
  /** The keys of the headers of the answer. */
  readonly answer: readonly number[];
  /** The types of the addresses, by router. */
  readonly routes: readonly string[];
}

export interface FullState {
  readonly millis: number;
  /** 0 unless they are counted. */
  readonly sessions: number;
}

export interface Subscribed {
  readonly seconds: number;
  /** Of the whole model. */
  readonly bytes: number;
}

/** Milliseconds from the request. */
export interface Edited {
  readonly answers: readonly number[];
  /** Of each edit at each router. */
  readonly arrivals: readonly number[];
}

export interface RoutersAnswers {
  readonly connect: Connected;
  readonly host: null;
  readonly circuits: Load;
  readonly sample: Sample;
  readonly terminators: Load;
  readonly 'full state': FullState;
  /** Milliseconds, of each change at each router. */
  readonly changes: readonly number[];
  readonly subscribe: Subscribed;
  readonly edits: Edited;
  /** How many routers are connected after it. */
  readonly beat: number;
}

/** The answer to an order, or why it failed. */
export type Outcome = { readonly answer: unknown } | { readonly error: string };

/** Has the process of the simulated routers do something. */
export async function order<O extends RoutersOrder>(
  routers: Child,
  given: O,
): Promise<RoutersAnswers[O['kind']]> {
  const outcome = await routers.ask<Outcome>(given);
  if ('error' in outcome) throw new Error(`${given.kind}: ${outcome.error}`);
  return outcome.answer as RoutersAnswers[O['kind']];
}
