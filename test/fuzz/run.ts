import { startControllerProcess } from '../support/controller.js';
import { Campaign, type CampaignSettings, type Fault, type Report } from './campaign.js';
import { targetOf, textOf, type FuzzRequest } from './fuzz-request.js';
import { OPERATIONS } from './generate.js';
import { answersIn, METRICS_TOKEN, metricsOf } from './vital-signs.js';

/*
 * A run is set by variables of the environment:
 *   OVERGRAPH_FUZZ_SEED     whole number that decides all requests
 *   OVERGRAPH_FUZZ_COUNT    how many requests
 *   OVERGRAPH_FUZZ_ONLY     numbers of single requests, separated by commas: sends these alone
 *   OVERGRAPH_FUZZ_WITHOUT  kinds of values and changes to leave out, separated by commas
 */

/** What a run finds, with what each operation was answered with. */
export interface RunResult {
  readonly report: Report;
  /** How many requests were to be sent. */
  readonly asked: number;
  readonly answers: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly isAlive: boolean;
}

const listed = (text = ''): string[] => text.split(',').filter((part) => part !== '');

const number = (text: string | undefined, otherwise: number): number =>
  text === undefined || text === '' ? otherwise : Number(text);

/** Starts a controller, fuzzes it and ends it. */
export async function fuzzed(
  defaults: Pick<CampaignSettings, 'seed' | 'count' | 'longestMillis'>,
  onPart?: (report: Report) => void,
): Promise<RunResult> {
  const { env } = process;
  const controller = await startControllerProcess({
    env: {
      OVERGRAPH_LOGIN_LIMIT: '0',
      OVERGRAPH_METRICS_TOKEN: METRICS_TOKEN,
      OVERGRAPH_ADDRESS_CONNECTIONS: '0',
      OVERGRAPH_CHANGES_MAX: '20000',
      OVERGRAPH_CTRL_ADDRESS: 'tls:localhost:6262',
    },
  });
  try {
    const only = listed(env.OVERGRAPH_FUZZ_ONLY).map(Number);
    const count = number(env.OVERGRAPH_FUZZ_COUNT, defaults.count);
    const report = await Campaign.run(controller, {
      seed: number(env.OVERGRAPH_FUZZ_SEED, defaults.seed),
      count,
      ...(only.length > 0 ? { only } : {}),
      leftOut: new Set(listed(env.OVERGRAPH_FUZZ_WITHOUT)),
      connections: 8,
      longestMillis: defaults.longestMillis,
      ...(onPart ? { onPart } : {}),
    });
    const isAlive = controller.child.exitCode === null;
    const answers = isAlive ? answersIn(await metricsOf(controller)) : new Map<string, never>();
    return { report, asked: only.length || count, answers, isAlive };
  } finally {
    await controller.stop();
  }
}

/** Operations that no request has reached. */
export const unreached = ({ answers, report }: RunResult): string[] =>
  OPERATIONS.filter((operation) => !answers.has(operation) && !report.succeeded.has(operation));

const MAX_SHOWN = 1_000;

/** All that is needed to send a request again. */
export function shown({ seed, errorLines }: Report, fault: Fault): string {
  const { request, what, answer, smallest } = fault;
  const { index, operation, caller, mutations } = request;
  return [
    `request ${String(index)} of seed ${String(seed)} (OVERGRAPH_FUZZ_SEED=${String(seed)} OVERGRAPH_FUZZ_ONLY=${String(index)})`,
    `  ${operation} by ${caller}, changed: ${mutations.join(', ') || 'nothing'}: ${what}`,
    `  ${asText(smallest ?? request)}`,
    ...(smallest ? [] : ['  (it does not do so alone)']),
    `  ${answer}`,
    ...logOf(answer, errorLines).map((line) => `  ${line.slice(0, MAX_SHOWN)}`),
  ].join('\n');
}

/** What the controller logged of a request that it answered so. */
function logOf(answer: string, errorLines: readonly string[]): string[] {
  const [, requestId] = /"requestId":"([^"]+)"/.exec(answer) ?? [];
  return requestId === undefined ? [] : errorLines.filter((line) => line.includes(requestId));
}

const asText = (request: FuzzRequest): string =>
  `${request.method} ${targetOf(request)} ${JSON.stringify(request.headers)} ${request.framing} ${JSON.stringify(textOf(request.body))}`.slice(
    0,
    MAX_SHOWN,
  );
