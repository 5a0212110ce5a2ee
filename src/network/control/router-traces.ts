import {
  messages,
  type ChannelTrace,
  type TogglePipeTracesRequest as TraceToggle,
} from '../messages/index.js';
import type { ConnectedRouter } from './connected-router.js';
import { CONTENT, HEADER } from './content-types.js';
import type { FrameHandler } from './control-channel.js';
import { readBool } from './header-values.js';
import { traceHandler } from './trace-handler.js';
import {
  NOTHING_TRACED,
  showsLine,
  togglesFor,
  withToggle,
  type TraceToggleResult,
} from './trace-toggles.js';

export interface RouterTracesOptions {
  /** The routers that are connected here. */
  readonly routers: () => readonly ConnectedRouter[];
  /** Gives the ids among these that match a regular expression; undefined if it is none. */
  readonly matching: (
    pattern: string,
    routerIds: readonly string[],
  ) => Promise<readonly string[] | undefined>;
  /** Whether this controller serves the routers. */
  readonly isServing: () => boolean;
  readonly onTrace: (trace: ChannelTrace) => void;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** Below the time for which the command line waits. */
const PATIENCE_MILLIS = 3_000;
/** Each is applied to each router that comes. */
const MAX_TOGGLES = 20;
const MAX_WAITING = 16;
const MAX_PATTERN_LENGTH = 1_000;
const MAX_TEXT_LENGTH = 1 << 18;

/**
 * The traces of routers: which of their channels report each message. Toggles count until they are
 * toggled off; routers trace only as long as a client streams, and those that connect later do so, too.
 */
export class RouterTraces {
  #toggles: readonly TraceToggle[] = [];
  #areWanted = false;
  /** Connections that may trace. */
  readonly #tracing = new WeakSet<ConnectedRouter>();
  /** Routers that have still to learn of the toggles. */
  readonly #uninformed = new Set<ConnectedRouter>();
  #lastTurn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(private readonly options: RouterTracesOptions) {}

  /** Switches traces on or off; the result tells what matches. */
  async toggle(toggle: TraceToggle): Promise<TraceToggleResult> {
    const fault = this.faultOf(toggle);
    if (fault !== undefined) return refused(fault);
    this.#waiting += 1;
    try {
      const answers = await this.inTurn(() => this.applyToggle(toggle));
      return resultOf(await Promise.all(answers));
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Lets routers trace, or not any more. */
  want(areWanted: boolean): void {
    if (this.#areWanted === areWanted) return;
    this.#areWanted = areWanted;
    if (areWanted) this.inform(this.options.routers());
    else this.inTurn(() => this.endAll()).catch(this.options.onError);
  }

  /** A router has connected. */
  connected(router: ConnectedRouter): void {
    if (this.#areWanted && this.#toggles.length > 0) this.inform([router]);
  }

  /** Makes the handler of the traces of a router. */
  handler(): [number, FrameHandler] {
    const { onTrace, now } = this.options;
    return traceHandler({ areWanted: () => this.#areWanted, onTrace, now });
  }

  private faultOf({ appRegex, pipeRegex }: TraceToggle): string | undefined {
    if (!this.options.isServing()) return 'another controller serves the routers: ask that one';
    if (this.#waiting >= MAX_WAITING) return 'too many toggles come at once';
    const isLong = Math.max(appRegex.length, pipeRegex.length) > MAX_PATTERN_LENGTH;
    return isLong ? 'a regular expression is too long' : undefined;
  }

  /** Stores a toggle and sends it to the routers that it concerns; gives their answers. */
  private async applyToggle(toggle: TraceToggle): Promise<Promise<TraceToggleResult>[]> {
    const { matching } = this.options;
    const routers = this.options.routers();
    const ids = await matching(
      toggle.appRegex,
      routers.map(({ id }) => id),
    );
    if (!ids) return [refusedLater('the app id regex is not a regular expression')];
    if (!(await matching(toggle.pipeRegex, []))) {
      return [refusedLater('the pipe regex is not a regular expression')];
    }
    const toggles = withToggle(this.#toggles, toggle);
    if (toggles.length > MAX_TOGGLES) {
      return [refusedLater('too many toggles count: switch all off first')];
    }
    this.#toggles = toggles;
    const note = this.#areWanted ? [] : [noted(NOT_STREAMED)];
    return [...note, ...routers.map((router) => this.answerOf(router, toggle, ids))];
  }

  private async answerOf(
    router: ConnectedRouter,
    toggle: TraceToggle,
    matchingIds: readonly string[],
  ): Promise<TraceToggleResult> {
    const isMatched = matchingIds.includes(router.id);
    const line = `App ${router.id} matched? ${String(isMatched)}\n`;
    const shown = showsLine(toggle, isMatched) ? line : '';
    if (!isMatched || !this.#areWanted) return { isSuccess: true, text: shown };
    const { isSuccess, text } = await this.send(router, toggle);
    return { isSuccess, text: shown + text };
  }

  /** Sends a toggle to a router that it concerns; its answer says which channels match. */
  private async send(router: ConnectedRouter, toggle: TraceToggle): Promise<TraceToggleResult> {
    if (toggle.enable) this.#tracing.add(router);
    const frames = togglesFor(toggle).map((each) =>
      router.ask(CONTENT.toggleTraces, messages.TogglePipeTracesRequest, each, PATIENCE_MILLIS),
    );
    const frame = await frames.at(-1);
    return frame
      ? { isSuccess: readBool(frame.headers.get(HEADER.success)), text: frame.body.toString() }
      : refused(`${router.id}: it did not answer in time`);
  }

  /** Sends the toggles that count to these routers, with others that came meanwhile. */
  private inform(routers: readonly ConnectedRouter[]): void {
    const isInformed = this.#uninformed.size > 0;
    for (const router of routers) this.#uninformed.add(router);
    if (!isInformed) this.inTurn(() => this.informAll()).catch(this.options.onError);
  }

  private async informAll(): Promise<void> {
    const routers = [...this.#uninformed].filter(({ channel }) => channel.isOpen);
    this.#uninformed.clear();
    if (!this.#areWanted || routers.length === 0) return;
    const ids = routers.map(({ id }) => id);
    for (const toggle of this.#toggles) {
      const matchingIds = new Set(await this.options.matching(toggle.appRegex, ids));
      for (const router of routers) {
        if (matchingIds.has(router.id)) void this.send(router, toggle);
      }
    }
  }

  private endAll(): Promise<void> {
    if (this.#areWanted) return Promise.resolve();
    for (const router of this.options.routers()) {
      if (this.#tracing.delete(router)) void this.send(router, NOTHING_TRACED);
    }
    return Promise.resolve();
  }

  /** Runs work after all earlier work, so that each router gets the toggles in their order. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }
}

const NOT_STREAMED = 'No client streams traces: routers begin when one does.\n';

const refused = (text: string): TraceToggleResult => ({ isSuccess: false, text: `${text}\n` });
const refusedLater = (text: string): Promise<TraceToggleResult> => Promise.resolve(refused(text));
const noted = (text: string): Promise<TraceToggleResult> =>
  Promise.resolve({ isSuccess: true, text });

const resultOf = (answers: readonly TraceToggleResult[]): TraceToggleResult => ({
  isSuccess: answers.every(({ isSuccess }) => isSuccess),
  text: answers
    .map(({ text }) => text)
    .join('')
    .slice(0, MAX_TEXT_LENGTH),
});
