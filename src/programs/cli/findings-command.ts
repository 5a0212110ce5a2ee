import { FINDING_KIND } from '../../access/analysis/index.js';
import { Findings, type Finding, type FindingKind } from '../emitted/operations.js';
import { readBaseline, type Baseline } from './baseline.js';
import { Client } from './client.js';
import { noticed, usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import { LISTED_HEAD, listedRows, SEVERITIES } from './finding-table.js';
import { muteCommand, unmuteCommand } from './mute-command.js';
import type { CommandLine, Options } from './options.js';
import { counted } from './plain.js';
import { readList } from './read-pages.js';
import { table } from './text-table.js';

const ACTIONS: Readonly<Record<string, typeof muteCommand>> = {
  mute: muteCommand,
  unmute: unmuteCommand,
};

/** `overgraph findings`, `overgraph findings mute <id>`, `overgraph findings unmute <id>` */
export async function findingsCommand(line: CommandLine, env: Environment): Promise<void> {
  const { operands, options } = line;
  const [action] = operands;
  if (action !== undefined) {
    const run = ACTIONS[action];
    if (!run) throw usageError('findings takes no operands but mute <id> and unmute <id>');
    return run(line, env);
  }
  if (options.reason !== undefined || options.until !== undefined) {
    throw usageError('--reason and --until are options of findings mute');
  }
  const asked: Asked = {
    kinds: kindsOf(options),
    baseline: options.baseline === undefined ? undefined : await readBaseline(options.baseline),
  };
  const worst = severityOf(options);
  const client = await Client.login(await connectionOf(options, env));
  try {
    const { nodes } = await readList(
      async (page) => (await client.run(Findings, { kinds: asked.kinds, ...page })).findings,
    );
    const all = bySeverity(nodes);
    const listed = listedOf(all, asked, options);
    console.log(options.json ? JSON.stringify(listed, null, 2) : report(all, listed, options));
    tellGone(all, asked, options);
    refuseBad(listed, worst, options);
  } finally {
    await client.logout();
  }
}

interface Asked {
  readonly kinds: readonly FindingKind[] | undefined;
  readonly baseline: Baseline | undefined;
}

const listedOf = (
  all: readonly Finding[],
  { baseline }: Asked,
  { muted }: Options,
): readonly Finding[] =>
  all.filter(({ id, mute }) => (muted === true || mute === null) && baseline?.has(id) !== true);

/** Findings of the file that are there no more, muted or not. */
function tellGone(all: readonly Finding[], { baseline, kinds }: Asked, options: Options): void {
  const ids = new Set(all.map(({ id }) => id));
  const gone = [...(baseline ?? [])].filter(
    ([id, kind]) => !ids.has(id) && kinds?.some((each) => each === kind) !== false,
  );
  if (gone.length === 0) return;
  const what = `${counted(gone.length, 'finding')} of ${String(options.baseline)}`;
  process.stderr.write(`overgraph: ${what} ${gone.length === 1 ? 'is' : 'are'} gone\n`);
}

/** Those that are accepted are not bad. With a baseline all new ones are, unless a severity is given. */
function refuseBad(listed: readonly Finding[], worst: number, options: Options): void {
  const bad = listed.filter(
    ({ severity, mute }) => mute === null && SEVERITIES.indexOf(severity) <= worst,
  );
  if (bad.length === 0) return;
  const what = counted(bad.length, options.baseline === undefined ? 'finding' : 'new finding');
  const asked = options['fail-on'];
  const severity =
    asked === undefined ? '' : ` of severity ${asked}${worst > 0 ? ' or worse' : ''}`;
  throw noticed(what + severity);
}

/** Written in small letters and with hyphens, if that is easier. */
function kindsOf({ kind }: Options): readonly FindingKind[] | undefined {
  return kind?.map((text) => {
    const name = text.toUpperCase().replaceAll('-', '_');
    const findingKind = FINDING_KIND.values.find((each) => each === name);
    if (findingKind !== undefined) return findingKind;
    throw usageError(`--kind must be one of ${FINDING_KIND.values.join(', ')}, is "${text}"`);
  });
}

/** The place of the severity that is bad enough; -1 is worse than any. */
function severityOf(options: Options): number {
  const text = options['fail-on'];
  if (text === undefined) return options.baseline === undefined ? -1 : SEVERITIES.length;
  const place = SEVERITIES.findIndex((each) => each === text.toUpperCase());
  if (place < 0) throw usageError(`--fail-on must be high, medium or low, is "${text}"`);
  return place;
}

/** The worst first; within a severity as the controller lists them. */
const bySeverity = (found: readonly Finding[]): Finding[] =>
  SEVERITIES.flatMap((severity) => found.filter((finding) => finding.severity === severity));

function report(
  all: readonly Finding[],
  listed: readonly Finding[],
  { baseline, muted }: Options,
): string {
  const hidden = muted ? 0 : all.filter(({ mute }) => mute !== null).length;
  const more = hidden === 0 ? '' : ` ${counted(hidden, 'muted finding')} not shown.`;
  const isNew = baseline !== undefined;
  if (listed.length === 0) return `${isNew ? 'Nothing new' : 'Nothing'} was found.${more}`;
  const count = counted(listed.length, isNew ? 'new finding' : 'finding');
  return `${table(LISTED_HEAD, listedRows(listed))}\n\n${count}.${more}`;
}
