import type { WebSocket } from 'ws';
import { tooManyRequests } from '../../base/errors.js';
import { isObject } from '../../base/row.js';
import type { RequestLimits, Sender } from '../../requests/limits/index.js';
import type { OnUnexpected } from '../result.js';
import { refusalOf } from './subscription-refusal.js';

const PAUSE_MILLIS = 1_000;
/** The limit of messages sent ahead of a pause, a large one counted as several: more is abuse. */
const MAX_REFUSED = 100;
const BYTES_OF_ONE = 4 * 1024;
/** Bytes of answers that the client has not read; above it, no more messages are read. */
const MAX_WAITING = 64 * 1024;
export const TRY_AGAIN_LATER = 1013;

/**
 * Counts the messages of one WebSocket as requests of its address and its API session. It refuses a
 * message that comes too early and pauses reading for a moment, as on any other connection.
 */
export class MessageGate {
  #refused = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: RequestLimits,
    private readonly socket: WebSocket,
    private readonly onUnexpected: OnUnexpected,
  ) {
    socket.once('close', () => {
      clearTimeout(this.#timer);
    });
  }

  /** Gives whether to process a message; answers a refused one itself. */
  admits(data: Buffer, sender: Sender, isAcknowledged: boolean): boolean {
    if (this.socket.bufferedAmount > MAX_WAITING) this.pauseReading();
    const wait = this.limits.tooEarly(sender, data.length);
    if (wait === 0) return true;
    this.#refused += 1 + Math.floor(data.length / BYTES_OF_ONE);
    if (this.#refused > MAX_REFUSED) {
      this.socket.terminate();
      return false;
    }
    this.pauseReading();
    if (!isAcknowledged) {
      this.socket.close(TRY_AGAIN_LATER, 'too many requests');
      return false;
    }
    return this.answer(parsed(data), wait);
  }

  private answer(message: unknown, wait: number): boolean {
    const { type, id } = isObject(message) ? message : {};
    // A message that ends a subscription costs nothing.
    if (type === 'complete') return true;
    if (type === 'subscribe' && typeof id === 'string') {
      const { error } = refusalOf(tooManyRequests(wait), this.onUnexpected);
      this.socket.send(JSON.stringify({ id, type: 'error', payload: [error] }), () => undefined);
    }
    return false;
  }

  private pauseReading(): void {
    if (this.#timer) return;
    this.socket.pause();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#refused = 0;
      if (this.socket.bufferedAmount > MAX_WAITING) this.pauseReading();
      else this.socket.resume();
    }, PAUSE_MILLIS);
  }
}

function parsed(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}
