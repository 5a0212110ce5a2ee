/**
 * Chooses the test files that a change touches, the nearest first, within the time of a quick run:
 * changed ones, those of the folder that mirrors a changed one, and those that import what has changed
 * by the fewest steps. What only the composition root imports is left to the whole run.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ts from 'typescript';
import { capture, root, say } from './run.mjs';
import { secondsOf, readDurations } from './test-durations.mjs';

/** Worker seconds of a quick run, which two cores do in somewhat less than two minutes. */
const MAX_WORKER_SECONDS = 200;
/** Modules that import the whole product: behind them every test is near to every change. */
const COMPOSITION_ROOTS = new Set([
  'src/programs/controller/assembly.ts',
  'src/resources/index.ts',
]);
const SOURCE_FOLDERS = ['src', 'rest-compat', 'test'];
/** Folders of `npm run test:long`. */
const LONG = /(^|\/)(long|alone)\//;

/** Gives the paths of the chosen test files; `since` is a revision, by default where main was left. */
export async function changedTests(since) {
  const changed = await changedFiles(since);
  const distances = distancesTo(changed);
  const tests = testFiles()
    .map((path) => ({ path, distance: distanceOf(path, changed, distances) }))
    .filter(({ distance }) => distance !== undefined)
    .sort((a, b) => a.distance - b.distance || a.path.localeCompare(b.path));
  const chosen = withinTime(tests);
  const of = chosen.length === tests.length ? '' : ` of ${tests.length}`;
  say(
    `${changed.size} files have changed, ${chosen.length}${of} test files are near; "npm test" runs all`,
  );
  return chosen;
}

async function changedFiles(since) {
  const base = since ?? (await lines('git', ['merge-base', 'HEAD', 'main']))[0];
  const committed = await lines('git', ['diff', '--name-only', base ?? 'HEAD']);
  const added = await lines('git', ['ls-files', '--others', '--exclude-standard']);
  return new Set([...committed, ...added]);
}

async function lines(command, args) {
  const { code, stdout, output } = await capture(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${output.trim()}`);
  return stdout.split('\n').filter((line) => line !== '');
}

/** The import steps from each file to the nearest changed one. */
function distancesTo(changed) {
  const importers = importersOf(SOURCE_FOLDERS.flatMap(typescriptFiles));
  const distances = new Map([...changed].map((path) => [path, 0]));
  for (const [path, distance] of distances) {
    if (COMPOSITION_ROOTS.has(path)) continue;
    for (const importer of importers.get(path) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return distances;
}

function importersOf(paths) {
  const importers = new Map();
  for (const path of paths) {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, path), 'utf8'), true, true);
    for (const { fileName } of importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const target = relative(root, resolve(root, dirname(path), fileName)).replace(/\.js$/, '.ts');
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  }
  return importers;
}

function distanceOf(path, changed, distances) {
  const isMirror = [...changed].some((file) => path.startsWith(mirrorOf(file)));
  const distance = distances.get(path);
  return isMirror ? Math.min(distance ?? 1, 1) : distance;
}

/**
 * The folder of tests of a file: `src/kernel/filter/lexer.ts` is tested in `test/kernel/filter/`, the
 * REST layer in `test/rest/`.
 */
function mirrorOf(path) {
  const [folder, ...below] = dirname(path).split('/');
  if (folder === 'rest-compat') return 'test/rest/';
  if (folder === 'docs') return 'test/documents/';
  if (folder !== 'src' && folder !== 'test') return `test/${folder}/`;
  const isFolder = (names) => existsSync(join(root, 'test', ...names));
  const names = isFolder(below.slice(0, 2)) ? below.slice(0, 2) : below.slice(0, 1);
  return `test/${names.join('/')}/`;
}

function withinTime(tests) {
  const durations = readDurations();
  const chosen = [];
  let seconds = 0;
  for (const { path, distance } of tests) {
    seconds += secondsOf(durations, path);
    // A changed test runs, however long it takes.
    if (distance === 0 || seconds <= MAX_WORKER_SECONDS) chosen.push(path);
  }
  return chosen;
}

const testFiles = () =>
  typescriptFiles('test').filter((path) => path.endsWith('.test.ts') && !LONG.test(path));

const typescriptFiles = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${String(name).split(sep).join('/')}`)
    .filter((path) => path.endsWith('.ts'));
