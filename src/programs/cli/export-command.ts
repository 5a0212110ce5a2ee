import { writeFile } from 'node:fs/promises';
import { Export } from '../emitted/operations.js';
import { Client } from './client.js';
import { usageError } from './command-error.js';
import { codeOf, connectionOf, type Environment } from './controller-connection.js';
import { formatOf, written } from './document.js';
import type { CommandLine } from './options.js';
import { table } from './text-table.js';

/** `overgraph export [file]` */
export async function exportCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const [file, ...others] = operands;
  if (others.length > 0) throw usageError('export takes one file at the most');
  const format = formatOf(options.format, file);
  const types = options.types?.split(',').map((type) => type.trim());
  const client = await Client.login(await connectionOf(options, env));
  try {
    const { exportNetwork } = await client.run(Export, { types });
    const content = written(exportNetwork, format);
    if (file === undefined) {
      process.stdout.write(content);
      return;
    }
    await writeFile(file, content).catch((error: unknown) => {
      throw usageError(`${file} can not be written: ${codeOf(error)}`);
    });
    const sections = Object.entries(exportNetwork as Record<string, readonly unknown[]>);
    const counts = sections.map(([type, all]) => [type, all.length]);
    console.log(table(['section', 'exported'], counts));
  } finally {
    await client.logout();
  }
}
