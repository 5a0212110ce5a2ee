import { FINDING_KINDS } from '../analysis/index.js';
import { Client } from './client.js';
import { CommandError, EXIT, usageError } from './command-error.js';
import { connectionOf, type Environment } from './connection.js';
import { FINDING_HEAD, findingRows, SEVERITIES } from './finding-rows.js';
import type { CommandLine, Options } from './options.js';
import { counted } from './plain.js';
import { FINDING, type Finding } from './simulation.js';
import { table } from './table.js';

const FINDINGS = `query ($kinds: [FindingKind!], $after: String) {
  findings(kinds: $kinds, first: 500, after: $after) {
    nodes { ${FINDING} } pageInfo { hasNextPage endCursor }
  }
}`;

interface Page {
  readonly nodes: readonly Finding[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

/** `overgraph findings` */
export async function findingsCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  if (operands.length > 0) throw usageError('findings takes no operands');
  const kinds = kindsOf(options);
  const worst = severityOf(options['fail-on']);
  const client = await Client.login(await connectionOf(options, env));
  try {
    const found = bySeverity(await readAll(client, kinds));
    console.log(options.json === true ? JSON.stringify(found, null, 2) : report(found));
    const bad = found.filter(({ severity }) => SEVERITIES.indexOf(severity) <= worst);
    if (bad.length > 0) {
      const what = `${counted(bad.length, 'finding')} of severity ${String(options['fail-on'])}`;
      throw new CommandError(EXIT.failed, worst > 0 ? `${what} or worse` : what);
    }
  } finally {
    await client.logout();
  }
}

/** Written in small letters and with hyphens, if that is easier. */
function kindsOf({ kind }: Options): readonly string[] | undefined {
  return kind?.map((text) => {
    const name = text.toUpperCase().replaceAll('-', '_');
    if ((FINDING_KINDS as readonly string[]).includes(name)) return name;
    throw usageError(`--kind must be one of ${FINDING_KINDS.join(', ')}, is "${text}"`);
  });
}

/** Its place among the severities; -1 is worse than any. */
function severityOf(text: string | undefined): number {
  if (text === undefined) return -1;
  const place = SEVERITIES.indexOf(text.toUpperCase());
  if (place < 0) throw usageError(`--fail-on must be high, medium or low, is "${text}"`);
  return place;
}

async function readAll(client: Client, kinds: readonly string[] | undefined): Promise<Finding[]> {
  const found: Finding[] = [];
  let after: string | null = null;
  do {
    const { findings }: { findings: Page } = await client.run(FINDINGS, { kinds, after });
    found.push(...findings.nodes);
    after = findings.pageInfo.hasNextPage ? findings.pageInfo.endCursor : null;
  } while (after !== null);
  return found;
}

/** The worst first; within a severity as the controller lists them. */
const bySeverity = (found: readonly Finding[]): Finding[] =>
  SEVERITIES.flatMap((severity) => found.filter((finding) => finding.severity === severity));

function report(found: readonly Finding[]): string {
  if (found.length === 0) return 'Nothing was found.';
  return `${table(FINDING_HEAD, findingRows(found))}\n\n${counted(found.length, 'finding')}.`;
}
