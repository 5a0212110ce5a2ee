import type { TogglePipeTracesRequest as TraceToggle } from '../messages/index.js';

/** The answer to a toggle, by all routers. */
export interface TraceToggleResult {
  readonly isSuccess: boolean;
  /** Lines for operators. */
  readonly text: string;
}

const EVERYTHING = '.*';

/**
 * Adds a toggle to those that count. Applied in their order they have the same effect as all toggles that
 * ever came: one that switches everything off leaves none, and a later one replaces an equal one.
 */
export function withToggle(toggles: readonly TraceToggle[], toggle: TraceToggle): TraceToggle[] {
  const { enable, appRegex, pipeRegex } = toggle;
  if (!enable && appRegex === EVERYTHING && pipeRegex === EVERYTHING) return [];
  const isReplaced = (each: TraceToggle): boolean =>
    each.appRegex === appRegex && each.pipeRegex === pipeRegex;
  return [...toggles.filter((each) => !isReplaced(each)), toggle];
}

/** The toggle that ends all traces of a router. */
export const NOTHING_TRACED: TraceToggle = {
  enable: false,
  verbosity: 'ReportNone',
  appRegex: EVERYTHING,
  pipeRegex: EVERYTHING,
};

/**
 * The toggles to send to one router that matches: a channel that is switched on twice would report each
 * message twice. A router whose id does not match never answers, and works on nothing any more.
 */
export function togglesFor(toggle: TraceToggle): TraceToggle[] {
  const forRouter = { ...toggle, appRegex: EVERYTHING };
  if (!toggle.enable) return [forRouter];
  return [{ ...forRouter, enable: false, verbosity: 'ReportNone' }, forRouter];
}

/** Whether a result has a line for a router or channel. */
export const showsLine = ({ verbosity }: TraceToggle, isMatched: boolean): boolean =>
  verbosity === 'ReportAll' || verbosity === (isMatched ? 'ReportMatches' : 'ReportMisses');
