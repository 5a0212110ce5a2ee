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

/** Asks without pause over ten connections; an answer that is no success ends the benchmark. */
export async function drive(
  origin: string,
  next: () => HttpRequest,
  seconds: number,
  token: string,
): Promise<Load> {
  const times: number[] = [];
  const began = performance.now();
  const options: Options = {
    url: origin,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [{ setupRequest: (request) => ({ ...request, ...next(), headers: headers(token) }) }],
  };
  const result = await new Promise<Result>((resolve, reject) => {
    autocannon(options, (error: Error | null, answer) => {
      if (error) reject(error);
      else resolve(answer);
    }).on('response', (_client, _status, _bytes, time) => times.push(time));
  });
  if (result.non2xx + result.errors > 0 || times.length === 0) {
    const { method, path } = next();
    throw new Error(
      `${method} ${origin}${path}: ${String(result.non2xx)} refusals, ${String(result.errors)} errors of ${String(times.length)}`,
    );
  }
  return { seconds: (performance.now() - began) / 1000, times };
}

const headers = (token: string): Record<string, string> => ({
  'content-type': 'application/json',
  'zt-session': token,
});

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** One request, for what is not measured. */
export function ask<T>(
  origin: string,
  { method, path, body }: HttpRequest,
  token = '',
): Promise<T> {
  return new Promise((resolve, reject) => {
    const options = { method, agent, headers: headers(token) };
    const sent = httpsRequest(`${origin}${path}`, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200 || response.statusCode === 201) {
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
