import { verifySnapshot } from '../../data/store/snapshot/read-snapshot.js';
import { CreateSnapshot } from '../emitted/operations.js';
import { Client } from './client.js';
import { usageError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import type { CommandLine } from './options.js';

/** `overgraph snapshot create`, `overgraph snapshot verify <file>` */
export async function snapshotCommand(line: CommandLine, env: Environment): Promise<void> {
  const [action, ...files] = line.operands;
  const [file] = files;
  if (action === 'create' && files.length === 0) await create(line, env);
  else if (action === 'verify' && files.length === 1 && file !== undefined) await verify(file);
  else throw usageError('snapshot takes create or verify <file>');
}

async function create({ options }: CommandLine, env: Environment): Promise<void> {
  const includePki = options['include-pki'] === true;
  const client = await Client.login(await connectionOf(options, env));
  try {
    const { createSnapshot } = await client.run(CreateSnapshot, { includePki });
    const { name, size, rows, checksum } = createSnapshot;
    console.log(`${name}  ${String(rows)} rows, ${String(size)} bytes, ${checksum}`);
    if (includePki) console.log('It holds private keys: keep it secret.');
  } finally {
    await client.logout();
  }
}

async function verify(file: string): Promise<void> {
  const { header, rows, checksum } = await verifySnapshot(file);
  const { createdAt, includesPki, network } = header;
  console.log(`${file} is sound: ${String(rows)} rows, ${checksum}`);
  console.log(`made ${createdAt}, epoch ${String(network.epoch)}, network ${network.id}`);
  console.log(includesPki ? 'with key material' : 'without key material');
}
