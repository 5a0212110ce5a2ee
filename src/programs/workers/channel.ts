import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/** The end of an IPC channel: a child process, or the process itself in a child. */
type ChannelEnd = Pick<ChildProcess, 'on' | 'send' | 'connected'> | NodeJS.Process;

/** Messages by name; each has a body, and those that are asked have an answer. */
export type Messages = Readonly<
  Record<string, { readonly body: unknown; readonly answer?: unknown }>
>;

type Body<M extends Messages, K extends keyof M> = M[K]['body'];
type Answer<M extends Messages, K extends keyof M> = M[K] extends { readonly answer: infer A }
  ? A
  : undefined;

/** What a process does with the messages that it receives. */
export type Handlers<M extends Messages> = {
  readonly [K in keyof M]: (
    body: Body<M, K>,
    socket: Socket | undefined,
  ) => undefined extends Answer<M, K> ? unknown : Answer<M, K> | Promise<Answer<M, K>>;
};

/** A message on the channel; `id` is set if an answer is expected. */
interface Sent {
  readonly name: string;
  readonly body: unknown;
  readonly id?: number;
}

interface Answered {
  readonly to: number;
  readonly answer: unknown;
}

const isAnswer = (message: Sent | Answered): message is Answered => 'to' in message;

/**
 * Typed messages between two processes. They arrive in the order in which they were sent. A message to
 * a process that has ended is dropped. A socket in a message stays open here, too: Node loses those
 * that are on their way to a process that ends.
 */
export class Channel<Out extends Messages, In extends Messages> {
  readonly #waiting = new Map<number, (answer: unknown) => void>();
  #lastId = 0;

  constructor(
    private readonly end: ChannelEnd,
    private readonly handlers: Handlers<In>,
  ) {
    (end as NodeJS.Process).on('message', (message: unknown, socket: unknown) => {
      this.receive(message as Sent | Answered, socket as Socket | undefined);
    });
    (end as NodeJS.Process).on('disconnect', () => {
      for (const resolve of this.#waiting.values()) resolve(undefined);
      this.#waiting.clear();
    });
  }

  tell<K extends keyof Out & string>(name: K, body: Body<Out, K>, socket?: Socket): void {
    this.send({ name, body }, socket);
  }

  /** Gives the answer; undefined if it does not arrive in time or the other process ends. */
  ask<K extends keyof Out & string>(
    name: K,
    body: Body<Out, K>,
    withinMs: number,
  ): Promise<Answer<Out, K> | undefined> {
    if (!this.end.connected) return Promise.resolve(undefined);
    const id = (this.#lastId += 1);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.get(id)?.(undefined);
      }, withinMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer as Answer<Out, K> | undefined);
      });
      this.send({ name, body, id });
    });
  }

  private receive(message: Sent | Answered, socket: Socket | undefined): void {
    if (isAnswer(message)) {
      this.#waiting.get(message.to)?.(message.answer);
      return;
    }
    const { name, body, id } = message;
    // Both processes run the same program, so each name has its handler.
    const handle = this.handlers[name] as (body: unknown, socket: Socket | undefined) => unknown;
    const answer = handle(body, socket);
    if (id === undefined) return;
    const reply = (value: unknown): void => {
      this.send({ to: id, answer: value });
    };
    if (answer instanceof Promise)
      answer.then(reply, () => {
        reply(undefined);
      });
    else reply(answer);
  }

  private send(message: Sent | Answered, socket?: Socket): void {
    // The process may end at any moment; its end is handled elsewhere.
    const ignore = (): void => undefined;
    if (this.end.connected) this.end.send?.(message, socket, { keepOpen: true }, ignore);
  }
}
