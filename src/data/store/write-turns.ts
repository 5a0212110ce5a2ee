import type { RequestScope } from '../../kernel/request/request-scope.js';
import type { Origin, Transaction } from '../../kernel/request/store-port.js';

/** A write with the request that it belongs to. */
export interface Write<T> {
  readonly origin: Origin;
  readonly work: (tx: Transaction) => Promise<T>;
  readonly scope: RequestScope | undefined;
}

/** A write that waits for its turn. Its work gives the function that answers the writer. */
export interface WaitingWrite extends Write<() => void> {
  readonly fail: (error: unknown) => void;
}

/**
 * The turns of writes by key, such as the entity that they change. They would wait for each other in
 * the database, each on a connection of its own. The writes of a turn share a transaction, which speed
 * needs (docs/benchmark.md, "edit a policy (patch name)").
 */
export class WriteTurns {
  readonly #queues = new Map<string, WaitingWrite[]>();

  /** `runSome` removes at least one write from the queue, runs it and answers its writer. */
  constructor(private readonly runSome: (queue: WaitingWrite[]) => Promise<void>) {}

  /** Gives the result of the work when its turn has come and its transaction has committed. */
  take<T>(key: string, { origin, work, scope }: Write<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const answering = async (tx: Transaction): Promise<() => void> => {
        const result = await work(tx);
        return () => {
          resolve(result);
        };
      };
      this.add(key, { origin, scope, work: answering, fail: reject });
    });
  }

  private add(key: string, write: WaitingWrite): void {
    const queue = this.#queues.get(key);
    if (queue) queue.push(write);
    else {
      const newQueue = [write];
      this.#queues.set(key, newQueue);
      void this.runAll(key, newQueue);
    }
  }

  private async runAll(key: string, queue: WaitingWrite[]): Promise<void> {
    while (queue.length > 0) await this.runSome(queue);
    this.#queues.delete(key);
  }
}
