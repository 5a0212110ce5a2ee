import { Agent, request as httpsRequest } from 'node:https';
import autocannon, { type Options, type Result } from 'autocannon';
import type { HttpRequest } from './reads.js';

export const CONNECTIONS = 10;

/** What a number of seconds under load gave. */
export interface Load {
  readonly seconds: number;
  /** Milliseconds of each answer. */
  readonly times: readonly number[];
}

/**
 * Asks without pause over ten connections. An answer that is no success ends the benchmark, and so
 * does no answer at all. Of a controller that is not ours, such answers only do not count.
 */
export async function drive(
  origin: string,
  next: () => HttpRequest,
  seconds: number,
  token: string,
  isOurs = true,
): Promise<Load> {
  const times: number[] = [];
  const began = performance.now();
  const options: Options = {
    url: origin,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [
      {
        setupRequest: (request) => {
          const { token: own = token, bearer, ...asked } = next();
          return { ...request, ...asked, headers: headers(own, bearer) };
        },
      },
    ],
  };
  const result = await new Promise<Result>((resolve, reject) => {
    autocannon(options, (error: Error | null, answer) => {
      if (error) reject(error);
      else resolve(answer);
    }).on('response', (_client, status, _bytes, time) => {
      if (status < 300) times.push(time);
    });
  });
  const isFaulty = result.non2xx > 0 || times.length === 0;
  if (result.errors > 0 || (isOurs && isFaulty)) {
    const { method, path } = next();
    throw new Error(
      `${method} ${origin}${path}: ${String(result.non2xx)} refusals, ${String(result.errors)} errors of ${String(times.length)}`,
    );
  }
  return { seconds: (performance.now() - began) / 1000, times };
}

/** The same for work that no kept connection can do; what fails ends the benchmark. */
export const repeat = (work: () => Promise<unknown>, seconds: number): Promise<Load> =>
  busy(async () => {
    await work();
    return performance.now();
  }, seconds);

/** Starts the work and gives the time at which what is measured of it was done; the rest follows. */
type TimedWork = () => Promise<number>;

/** Repeats work without pause, ten at once; what fails ends the benchmark. */
export async function busy(work: TimedWork, seconds: number): Promise<Load> {
  const times: number[] = [];
  const began = performance.now();
  const until = began + seconds * 1000;
  const keepOn = async (): Promise<void> => {
    for (let now = performance.now(); now < until; now = performance.now()) {
      times.push((await work()) - now);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, keepOn));
  return { seconds: (performance.now() - began) / 1000, times };
}

/** Begins work so many times per second, whether the earlier one is done or not, until an end. */
export async function paced(
  work: TimedWork,
  perSecond: number,
  end: Promise<unknown>,
): Promise<Load> {
  const times: number[] = [];
  const begun: Promise<void>[] = [];
  const began = performance.now();
  const state = { isEnded: false };
  const ended = end.finally(() => {
    state.isEnded = true;
  });
  ended.catch(() => undefined);
  const time = async (): Promise<void> => {
    const now = performance.now();
    times.push((await work()) - now);
  };
  while (!state.isEnded) {
    const running = time();
    // It is reported below.
    running.catch(() => undefined);
    begun.push(running);
    const due = began + (begun.length * 1000) / perSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
  }
  await ended;
  await Promise.all(begun);
  return { seconds: (performance.now() - began) / 1000, times };
}

const headers = (token: string, bearer?: string): Record<string, string> => ({
  'content-type': 'application/json',
  ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  ...(token === '' ? {} : { 'zt-session': token }),
});

const kept = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** One request, for what is not measured. */
export function ask<T>(
  origin: string,
  { method, path, body, token: own, bearer }: HttpRequest,
  token = '',
  agent = kept,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const options = { method, agent, headers: headers(own ?? token, bearer) };
    const sent = httpsRequest(`${origin}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 204) {
          resolve(undefined as T);
        } else if (response.statusCode === 200 || response.statusCode === 201) {
          resolve(JSON.parse(text) as T);
        } else {
          reject(new Error(`${method} ${path}: ${String(response.statusCode)} ${text}`));
        }
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** One request on a connection of its own, which shows a client certificate. */
export async function askAnew(
  origin: string,
  request: HttpRequest,
  { cert, key }: { readonly cert: string; readonly key: string },
): Promise<void> {
  // A session of TLS that is resumed would save both sides the certificates.
  const agent = new Agent({ rejectUnauthorized: false, maxCachedSessions: 0, cert, key });
  try {
    await ask(origin, request, '', agent);
  } finally {
    agent.destroy();
  }
}

/** The next of them each time, from the first again after the last. */
export function inTurn<T>(items: readonly T[]): () => T {
  let next = 0;
  return () => {
    const item = items[next % items.length];
    next += 1;
    if (item === undefined) throw new Error('there is nothing to ask for');
    return item;
  };
}
