import { execFile } from 'node:child_process';
import { join } from 'node:path';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the built command line in an environment of its own. */
export function overgraph(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const program = [join(process.cwd(), 'dist/program/overgraph.js'), ...args];
  const environment = { PATH: process.env.PATH, ...env };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, program, { env: environment }, (_, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}

/** The exit code of the command with its output going elsewhere by the shell: `| head -1`, `>/dev/full`. */
export function overgraphInto(
  redirection: string,
  env: Record<string, string>,
  ...args: string[]
): Promise<Ended> {
  const script = `"$@" ${redirection}; exit "\${PIPESTATUS[0]}"`;
  const program = [process.execPath, join(process.cwd(), 'dist/program/overgraph.js'), ...args];
  const environment = { PATH: process.env.PATH, ...env };
  return new Promise((resolve) => {
    const words = ['--norc', '-c', script, 'bash', ...program];
    const child = execFile('bash', words, { env: environment }, (_, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}
