/** `npm run emit [-- --check | --breaking | --release]`: writes the emitted schemas, or compares them. */
import { prepare } from './prepare.mjs';

await prepare();
await import('../dist/src/emit.js');
