import { execFile } from 'node:child_process';
import { join } from 'node:path';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the built command line in an environment of its own. */
export function overgraph(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const program = [join(process.cwd(), 'dist/src/cli/main.js'), ...args];
  const environment = { PATH: process.env.PATH, ...env };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, program, { env: environment }, (_, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}
