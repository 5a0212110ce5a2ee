/** `npm run bench [-- <arguments>]` */
import { prepare } from './prepare.mjs';

await prepare({ bench: true });
await import('../dist-bench/test/bench/main.js');
