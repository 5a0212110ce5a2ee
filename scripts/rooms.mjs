/**
 * `npm run rooms`: counts the files and lines of each room, imports that go up or in a circle, and names
 * of files that stand twice.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { capture, program, root } from './run.mjs';

const EMITTED = /\/emitted\//;
const SOURCE = /\.tsx?$/;

/** Rooms of `src`, and the sources beside it. */
const rooms = [
  ...readdirSync(join(root, 'src')).map((room) => `src/${room}`),
  'rest-compat',
  'console/src',
];

const filesOf = (room) =>
  readdirSync(join(root, room), { recursive: true })
    .map((name) => `${room}/${name}`)
    .filter((path) => SOURCE.test(path) && !EMITTED.test(path));

const linesOf = (paths) =>
  paths.reduce(
    (sum, path) => sum + readFileSync(join(root, path), 'utf8').split('\n').length - 1,
    0,
  );

/** The names of files that stand more than once in the server, but for the doors of modules. */
function namesTwice(paths) {
  const names = paths.map((path) => basename(path)).filter((name) => name !== 'index.ts');
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))].sort();
}

/** Imports that break a rule of the architecture, by its name. */
async function violations() {
  const cruiser = program('dependency-cruiser/bin/dependency-cruise.mjs');
  const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
  const folders = ['src', 'rest-compat', 'console/src'];
  const { stdout } = await capture(process.execPath, [cruiser, ...args, ...folders]);
  return JSON.parse(stdout).summary.violations.map(({ rule }) => rule.name);
}

const files = new Map(rooms.map((room) => [room, filesOf(room)]));
const server = [...files]
  .filter(([room]) => !room.startsWith('console'))
  .flatMap(([, paths]) => paths);
const broken = await violations();
const circles = broken.filter((name) => name === 'no-cycles').length;
const row = (...cells) => `| ${cells.join(' | ')} |`;
process.stdout.write(
  [
    row('room', 'files', 'lines'),
    row('---', '---:', '---:'),
    ...[...files].map(([room, paths]) => row(`\`${room}\``, paths.length, linesOf(paths))),
    '',
    `circles: ${circles}, other imports against the rules: ${broken.length - circles}`,
    `names that stand twice: ${namesTwice(server).join(', ') || 'none'}`,
    '',
  ].join('\n'),
);
