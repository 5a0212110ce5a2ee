/** `npm run emit [-- --check | --breaking | --release]`: writes the emitted schemas, or compares them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepareClient, prepareSchemaTools } from './prepare.mjs';
import { root } from './run.mjs';

const args = process.argv.slice(2);
const isAboutRelease = args.includes('--breaking') || args.includes('--release');

// The program may use messages that are not emitted yet, so it is built after them.
const isInstalled = existsSync(join(root, 'node_modules/protobufjs'));
if (!isInstalled) await prepareSchemaTools();
if (!isAboutRelease && !args.some((arg) => !arg.startsWith('--'))) {
  const { emitMessages } = await import('./emit-messages.mjs');
  if (!emitMessages({ check: args.includes('--check') })) process.exitCode = 1;
}
await prepareSchemaTools();
await import('../dist/src/programs/emit.js');
await prepareClient();
