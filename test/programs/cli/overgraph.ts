import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ADMIN_PASSWORD } from '../../support/controller.js';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Site {
  readonly port: number;
  readonly dataDir: string;
  /** Where the files are. */
  readonly folder: string;
}

/** Runs the built command against a controller, with the password and authorities that it has. */
export function overgraph(
  { port, dataDir, folder }: Site,
  [command = '', ...args]: readonly string[],
): Promise<Ended> {
  const env = {
    PATH: process.env.PATH,
    OVERGRAPH_DATA_DIR: dataDir,
    OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD,
  };
  const url = `https://localhost:${String(port)}`;
  const program = [
    join(process.cwd(), 'dist/program/overgraph.js'),
    command,
    '--url',
    url,
    ...args,
  ];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, program, { env, cwd: folder }, (_, out, err) => {
      resolve({ code: child.exitCode ?? -1, out, err });
    });
  });
}

export const linesOf = ({ out }: Ended): string[] => out.trimEnd().split('\n');
