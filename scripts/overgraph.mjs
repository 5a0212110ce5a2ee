/** `npm run overgraph -- <command>`: prepares the checkout, then becomes the command line. */
import { prepare } from './prepare.mjs';

// 1 is an answer of a command.
await prepare({ exitCode: 2 });
await import('../dist/src/cli/main.js');
