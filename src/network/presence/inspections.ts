import { setTimeout as pause } from 'node:timers/promises';
import { failure } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { inspections, type NodeQuestion, type Question } from '../../data/rows/inspection/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import { failedAnswer, NO_ANSWER_IN_TIME, type NodeAnswer } from './node-answer.js';

export interface InspectionsOptions {
  readonly store: Store;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** Answers for the nodes that this process serves; gives undefined for other nodes. */
export type Inspector = (nodeId: string, question: Question) => Promise<NodeAnswer> | undefined;

/** The answer of one node. */
export interface NodeReply {
  readonly nodeId: string;
  readonly answer: NodeAnswer;
}

/** How a question is asked. */
export interface Asking {
  /** The time for all answers. */
  readonly patienceMillis: number;
  /** Reads the latest questions. */
  readonly refresh: () => Promise<void>;
  /** Whether a node has gone, and answers no more. */
  readonly isGone?: (nodeId: string) => boolean;
  /** Ends the question before all answers have come. */
  readonly signal?: AbortSignal;
}

/** Well below the time limit of a request, which one silent router must not exceed. */
const PATIENCE_MILLIS = 5_000;
const POLL_MILLIS = 100;
/** Questions of one process at the same time: each may go to all routers. */
const MAX_QUESTIONS = 8;
/** Answers that are read from the database at once. */
const MAX_AT_ONCE = 20;
/** Limits of the texts of one answer, and of all answers to one question. */
const MAX_LENGTH = 4 << 20;
const MAX_TOTAL_LENGTH = 32 << 20;

/**
 * Questions to routers and controllers about their present state. The process that serves a node
 * answers for it, which may be one of another controller.
 */
export class Inspections {
  readonly #inspectors = new Set<Inspector>();
  #questions = 0;

  constructor(private readonly options: InspectionsOptions) {}

  /** Adds what answers for nodes; gives a function that removes it. */
  attach(inspector: Inspector): () => void {
    this.#inspectors.add(inspector);
    return () => this.#inspectors.delete(inspector);
  }

  /**
   * Asks nodes for values by name; gives the answer of each, which may be that none came in time.
   * @throws ApiError SERVER_TOO_MANY_REQUESTS
   */
  async ask(
    nodeIds: readonly string[],
    names: readonly string[],
    refresh: () => Promise<void>,
  ): Promise<Map<string, NodeAnswer>> {
    if (this.#questions >= MAX_QUESTIONS) {
      throw failure('SERVER_TOO_MANY_REQUESTS', 'too many inspections run');
    }
    this.#questions += 1;
    try {
      const question = { names, validation: null, fixes: false };
      const asking = { patienceMillis: PATIENCE_MILLIS, refresh };
      const answers = new Map<string, NodeAnswer>();
      for await (const { nodeId, answer } of this.replies(nodeIds, question, asking)) {
        answers.set(nodeId, answer);
      }
      return answers;
    } finally {
      this.#questions -= 1;
    }
  }

  /** Asks nodes; gives their answers as they come, at last those that no answer came in time. */
  async *replies(
    nodeIds: readonly string[],
    question: NodeQuestion,
    asking: Asking,
  ): AsyncGenerator<NodeReply, undefined> {
    const now = this.options.now();
    const until = new Date(now.getTime() + asking.patienceMillis);
    const request = { id: newId(), nodeIds, until, ...question };
    const silent = new Set(nodeIds);
    try {
      await inspections.ask(this.options.store, request, now);
      await asking.refresh();
      for await (const reply of this.collect(request, asking)) {
        silent.delete(reply.nodeId);
        yield reply;
      }
      for (const nodeId of silent) {
        const isGone = asking.isGone?.(nodeId) === true;
        yield { nodeId, answer: isGone ? GONE : NO_ANSWER_IN_TIME };
      }
    } finally {
      await inspections.remove(this.options.store, request.id).catch(this.options.onError);
    }
  }

  /**
   * Answers the questions after one version, up to another, that concern nodes of this process. The
   * next call begins there, so that no question is asked twice.
   */
  async answerBetween(version: bigint, last: bigint): Promise<void> {
    if (this.#inspectors.size === 0) return;
    const { store, now } = this.options;
    const at = now();
    for (const request of await inspections.between(store, version, last)) {
      if (request.until <= at) continue;
      for (const nodeId of request.nodeIds) {
        void this.answer(request, nodeId).catch(this.options.onError);
      }
    }
  }

  private async answer(question: Question, nodeId: string): Promise<void> {
    for (const inspect of this.#inspectors) {
      const inspected = inspect(nodeId, question);
      if (!inspected) continue;
      const answer = await inspected.catch((error: unknown) => {
        this.options.onError(error);
        return failedAnswer('it could not be inspected');
      });
      const text = JSON.stringify(answer);
      const isLong = text.length > MAX_LENGTH;
      await inspections.answer(this.options.store, question.id, {
        nodeId,
        answer: isLong ? JSON.stringify(failedAnswer('its answer is too long')) : text,
      });
      return;
    }
  }

  /** Reads the answers until all have come, or for as long as anybody waits. */
  private async *collect(
    { id, nodeIds }: Question,
    { patienceMillis, isGone = () => false, signal }: Asking,
  ): AsyncGenerator<NodeReply, undefined> {
    const answered = new Set<string>();
    const isAwaited = (nodeId: string): boolean => !answered.has(nodeId) && !isGone(nodeId);
    const end = performance.now() + patienceMillis;
    let length = 0;
    while (nodeIds.some(isAwaited) && signal?.aborted !== true) {
      const next = await inspections.answers(this.options.store, id, [...answered], MAX_AT_ONCE);
      for (const { nodeId, answer } of next) {
        answered.add(nodeId);
        length += answer.length;
        const isTooMuch = length > MAX_TOTAL_LENGTH;
        yield {
          nodeId,
          answer: isTooMuch ? failedAnswer(TOO_MUCH) : (JSON.parse(answer) as NodeAnswer),
        };
      }
      if (next.length > 0) continue;
      if (performance.now() >= end) break;
      await pause(POLL_MILLIS);
    }
  }
}

const GONE = failedAnswer('it has left meanwhile');
const TOO_MUCH = 'all answers together are too long: ask fewer nodes';
