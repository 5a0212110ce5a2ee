/** `npm run overgraph -- <command>`: prepares the checkout, then becomes the command line. */
import { prepare } from './prepare.mjs';

await prepare();
await import('../dist/src/cli/main.js');
