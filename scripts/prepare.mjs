/**
 * Prepares a checkout to run: dependencies and build. A step is skipped when nothing that it reads
 * has changed. Plain Node: it runs before any dependency is installed, so a tool that is a package, such
 * as `wireit`, can not do it: the first step is to install it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exclusively } from './exclusively.mjs';
import { PRISMA, PRISMA_SETTINGS } from './prisma.mjs';
import { npm, program, root, say, step, StepFailure } from './run.mjs';
import { digest, readStamp, writeStamp } from './stamp.mjs';

const NODE_MINIMUM = [20, 19];

/** Ends the process when this version of Node is too old. */
export function checkNode(exitCode = 1) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NODE_MINIMUM[0] || (major === NODE_MINIMUM[0] && minor >= NODE_MINIMUM[1])) return;
  say(
    `overgraph: Node ${NODE_MINIMUM.join('.')} or later is needed, this is ${process.versions.node}`,
  );
  process.exit(exitCode);
}

/** Folders that are neither sources nor compared. */
const CONSOLE_OUTPUT = new Set(['console/node_modules', 'console/src/emitted']);

const INSTALLED = 'node_modules/.overgraph-lock';

const install = {
  needed() {
    const wanted = digest(['package-lock.json']);
    const present = existsSync(join(root, 'node_modules/.package-lock.json'));
    if (present && readStamp(INSTALLED) === wanted) return false;
    if (!present || !isInstalled()) return true;
    writeStamp(INSTALLED, wanted);
    return false;
  },
  async run() {
    // A quiet npm around us would hide the reason of a failure here.
    const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
    await step('installing dependencies (package-lock.json)', ...npm(args));
    writeStamp(INSTALLED, digest(['package-lock.json']));
  },
};

/** Compares with npm's list of installed packages, so a manual `npm install` or `npm ci` counts. */
function isInstalled() {
  const packages = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).packages ?? {};
  const installed = packages('node_modules/.package-lock.json');
  return Object.entries(packages('package-lock.json')).every(([path, wanted]) => {
    if (path === '') return true;
    const installedPackage = installed[path];
    // Packages for other platforms are not installed.
    if (!installedPackage) return wanted.optional === true || wanted.devOptional === true;
    return (
      installedPackage.version === wanted.version && installedPackage.integrity === wanted.integrity
    );
  });
}

const CLIENT = 'src/data/prisma/emitted';
const CLIENT_STAMP = `${CLIENT}/.sources-digest`;
const CLIENT_FROM = ['prisma/schema.prisma', 'node_modules/@prisma/client/package.json'];

/** Prisma's client for the tables, as TypeScript. */
const generateClient = {
  needed: () => readStamp(CLIENT_STAMP) !== digest(CLIENT_FROM),
  async run() {
    const value = digest(CLIENT_FROM);
    const args = [PRISMA, 'generate', '--no-hints'];
    await step('generating the client of the database', process.execPath, args, PRISMA_SETTINGS);
    writeStamp(CLIENT_STAMP, value);
  },
};

const OPERATIONS_STAMP = 'src/programs/emitted/.sources-digest';
const TYPED_FROM = [
  'schema/schema.graphql',
  'scripts/typed-operations.mjs',
  'scripts/every-member.mjs',
  'node_modules/@graphql-codegen/typescript-operations/package.json',
];
const operationSources = () => [
  ...readdirSync(join(root, 'src/programs'), { recursive: true })
    .filter((path) => path.endsWith('.graphql'))
    .sort()
    .map((path) => join('src/programs', path)),
  ...TYPED_FROM,
];

/** The operations of the command line with their types, as TypeScript. */
const typeOperations = {
  needed: () => readStamp(OPERATIONS_STAMP) !== digest(operationSources()),
  async run() {
    const value = digest(operationSources());
    const args = [join(root, 'scripts/operations.mjs')];
    await step('typing the operations of the command line', process.execPath, args);
    writeStamp(OPERATIONS_STAMP, value);
  },
};

/**
 * What the tools of the schema run: code may use columns that Prisma's client does not have before they
 * have run. It has no stamp, so that the next step with one checks the types.
 */
const buildUnchecked = {
  needed: () => build.needed(),
  async run() {
    const args = [program('typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--noCheck'];
    await step('building without types', process.execPath, args);
  },
};

/** A TypeScript project with its output folder and its sources. */
const compile = (project, output, sources) => {
  const stamp = `${output}/.sources-digest`;
  const read = ['tsconfig.json', project, 'node_modules/typescript/package.json', ...sources];
  return {
    needed: () => readStamp(stamp) !== digest(read),
    async run() {
      // Taken before the run, so that later edits are compiled the next time.
      const value = digest(read);
      const args = [program('typescript/bin/tsc'), '-p', project];
      await step(`building (${project})`, process.execPath, args);
      writeStamp(stamp, value);
    },
  };
};

const CONSOLE_STAMP = 'dist/console/.sources-digest';
const CONSOLE_FROM = [
  'console',
  'schema/permissions.json',
  'schema/kept-entities.json',
  'scripts/console',
  ...TYPED_FROM,
  'node_modules/vite/package.json',
];

/** The web console; what its build writes below `console` is no source. */
const buildConsole = {
  needed: () => readStamp(CONSOLE_STAMP) !== digest(CONSOLE_FROM, CONSOLE_OUTPUT),
  async run() {
    const value = digest(CONSOLE_FROM, CONSOLE_OUTPUT);
    const args = [join(root, 'scripts/console/build.mjs')];
    await step('building the console', process.execPath, args);
    writeStamp(CONSOLE_STAMP, value);
  },
};

const SOURCES = ['src', 'rest-compat'];
const build = compile('tsconfig.build.json', 'dist', SOURCES);
const BUNDLE_STAMP = 'dist/program/.sources-digest';
// The stamp of the compilation stands for what it has written.
const BUNDLE_FROM = ['dist/.sources-digest', 'package-lock.json', 'scripts/bundle.mjs'];

/** The program as it is run: few files, of what the build has compiled. */
const bundle = {
  needed: () => readStamp(BUNDLE_STAMP) !== digest(BUNDLE_FROM),
  async run() {
    const value = digest(BUNDLE_FROM);
    await step('joining the program', process.execPath, [join(root, 'scripts/bundle.mjs')]);
    writeStamp(BUNDLE_STAMP, value);
  },
};

const buildBench = compile('tsconfig.bench.json', 'dist-bench', [
  ...SOURCES,
  'test/trust/auth',
  'test/bench',
  'test/support',
]);

const SBOM = 'dist/sbom.cdx.json';
const SBOM_STAMP = 'dist/.sbom-digest';
const SBOM_FROM = [
  'package.json',
  'package-lock.json',
  'scripts/dependencies',
  'node_modules/@cyclonedx/cyclonedx-library/package.json',
];

const describe = {
  needed: () => !existsSync(join(root, SBOM)) || readStamp(SBOM_STAMP) !== digest(SBOM_FROM),
  async run() {
    const args = [join(root, 'scripts/dependencies/sbom.mjs'), SBOM];
    await step(`listing what it consists of (${SBOM})`, process.execPath, args);
    writeStamp(SBOM_STAMP, digest(SBOM_FROM));
  },
};

async function runNeeded(steps) {
  if (!steps.some(({ needed }) => needed())) return;
  await exclusively(async () => {
    for (const { needed, run } of steps) if (needed()) await run();
  });
}

/**
 * Runs all needed steps; ends the process with that code when one fails. Tools that write the schema
 * come before the build of the console, which does not fit it until then.
 */
export function prepare({ console = false, bench = false, sbom = false, exitCode = 1 } = {}) {
  return runSteps(
    [
      install,
      generateClient,
      typeOperations,
      build,
      bundle,
      ...(bench ? [buildBench] : []),
      ...(console ? [buildConsole] : []),
      ...(sbom ? [describe] : []),
    ],
    exitCode,
  );
}

/** Before tools that write the schema. */
export const prepareSchemaTools = () => runSteps([install, generateClient, buildUnchecked]);

/** After them. */
export const prepareClient = () => runSteps([generateClient]);

async function runSteps(steps, exitCode = 1) {
  checkNode(exitCode);
  try {
    // One after the other: each step reads the output of the one before.
    for (const each of steps) await runNeeded([each]);
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    process.exit(exitCode);
  }
}
