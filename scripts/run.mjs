/** Runs our own tools quietly: prints a line when one takes long, and its output when it fails. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const PATIENCE_MS = 2000;

/** The error of a failed preparation step; its output has been printed. */
export class StepFailure extends Error {}

/** Prints on stderr, so that the output of a command for other programs stays clean. */
export const say = (line) => process.stderr.write(`${line}\n`);

/**
 * Gives the exit code of a program, its whole output, and its stdout alone; `args` go to Node when the
 * program is a script of npm. It ends the program after `timeout` milliseconds, if given.
 */
export function capture(command, args, env = {}, { cwd = root, timeout } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      timeout,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && command === 'npm',
    });
    const all = [];
    const printed = [];
    child.stdout.on('data', (chunk) => {
      all.push(chunk);
      printed.push(chunk);
    });
    child.stderr.on('data', (chunk) => all.push(chunk));
    const text = (chunks) => Buffer.concat(chunks).toString();
    child.once('error', (error) => resolve({ code: 1, output: `${error.message}\n`, stdout: '' }));
    child.once('close', (code, signal) =>
      resolve({ code: code ?? 1, output: text(all) + (signal ?? ''), stdout: text(printed) }),
    );
  });
}

/** Runs a preparation step; prints `what` when it takes longer than two seconds. */
export async function step(what, command, args, env) {
  const timer = setTimeout(() => say(`${what} ...`), PATIENCE_MS);
  const { code, output } = await capture(command, args, env);
  clearTimeout(timer);
  if (code === 0) return;
  process.stderr.write(output);
  say(`overgraph: ${what} failed`);
  throw new StepFailure(what);
}

/** Gives a package's program, for this Node on any platform. */
export const program = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));

/** Gives the program and arguments of the npm that started us, if one did. */
export function npm(args) {
  const path = process.env.npm_execpath;
  return path?.endsWith('.js') ? [process.execPath, [path, ...args]] : ['npm', args];
}
