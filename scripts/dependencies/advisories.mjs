/**
 * Fails on advisories of the registry: from moderate on for packages that the running controller
 * requires, from high on for others. Advisories in dependency-rules.json are accepted until the day
 * given there. The step is skipped when the registry does not answer in time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture, npm } from '../run.mjs';
import { readJson, readLock } from './lock.mjs';
import { folder, report, skip } from './step.mjs';

const PATIENCE_MS = Number(process.argv[3] ?? 20_000);
const MAX_ACCEPTANCE_DAYS = 180;
const SEVERITIES = ['info', 'low', 'moderate', 'high', 'critical'];
const DAY_MS = 24 * 60 * 60 * 1000;

const accepted = readJson(join(folder, 'dependency-rules.json')).advisories;
const ruleFaults = accepted.flatMap(faultsOfRule);
const answer = await fetchAdvisories();
if (answer.advisories) report([...ruleFaults, ...faultsOf(answer.advisories)]);
else if (answer.failure) report([...ruleFaults, answer.failure]);
else if (ruleFaults.length > 0) report(ruleFaults);
else skip(`the registry did not answer: ${answer.reason}`);

/** Asks about the lock file, with the packages for every platform. */
async function fetchAdvisories() {
  const scope = ['--package-lock-only', '--include=dev', '--include=optional'];
  // npm caches the first severity of an advisory, and in offline mode it reports that there are
  // no advisories.
  const cache = mkdtempSync(join(tmpdir(), 'overgraph-advisories-'));
  const request = [`--cache=${cache}`, '--offline=false', '--fetch-retries=0'];
  const begin = Date.now();
  const { stdout, output } = await capture(
    ...npm(['audit', '--json', ...scope, ...request]),
    {},
    { cwd: folder, timeout: PATIENCE_MS },
  );
  rmSync(cache, { recursive: true, force: true });
  const said = parse(stdout);
  if (said?.auditReportVersion === 2) return { advisories: advisoriesOf(said.vulnerabilities) };
  if (Date.now() - begin >= PATIENCE_MS) return { reason: `not within ${PATIENCE_MS / 1000} s` };
  // npm reports `message` for a failed request, `error.code` for a fault on this side.
  if (said?.message) return { reason: said.message };
  return { failure: output.trim() };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A package is listed for its own advisories, which are objects, and for those of its dependencies. */
function advisoriesOf(vulnerabilities) {
  const production = new Set(
    readLock(folder)
      .packages.filter((each) => each.production)
      .map(({ path }) => path),
  );
  return Object.values(vulnerabilities).flatMap(({ name, via, nodes }) =>
    via
      .filter((each) => typeof each === 'object')
      .map(({ url, title, severity, range }) => ({
        id: url.split('/').at(-1),
        name,
        description: `${severity}, ${name} ${range}: ${title} (${url})`,
        severity,
        inProduction: nodes.some((path) => production.has(path)),
      })),
  );
}

function faultsOf(advisories) {
  const unused = accepted.filter((rule) => !advisories.some((each) => isAbout(rule, each)));
  return [
    ...advisories
      .filter((each) => isSevere(each) && !accepted.some((rule) => isAbout(rule, each)))
      .map(
        ({ description, inProduction }) =>
          `${inProduction ? 'production' : 'development'}: ${description}`,
      ),
    ...unused.map((rule) => `${titleOf(rule)} is not reported any more, its line can go`),
  ];
}

function isSevere({ severity, inProduction }) {
  const least = inProduction ? 'moderate' : 'high';
  const rank = SEVERITIES.indexOf(severity);
  // An unknown severity counts.
  return rank === -1 || rank >= SEVERITIES.indexOf(least);
}

function faultsOfRule(rule) {
  const left = (Date.parse(`${rule.expires}T23:59:59Z`) - Date.now()) / DAY_MS;
  if (!rule.reason) return [`${titleOf(rule)} is accepted without a reason`];
  if (Number.isNaN(left)) return [`${titleOf(rule)} is accepted without a day of expiry`];
  if (left < 0) return [`${titleOf(rule)} was accepted until ${rule.expires}`];
  if (left <= MAX_ACCEPTANCE_DAYS) return [];
  return [`${titleOf(rule)} is accepted for more than ${MAX_ACCEPTANCE_DAYS} days`];
}

function isAbout(rule, advisory) {
  return rule.id === advisory.id && rule.name === advisory.name;
}

function titleOf({ id, name }) {
  return `dependency-rules.json: ${id} of ${name}`;
}
