/** `npm run overgraph -- <command>`: prepares the checkout, then becomes the command line. */
import { prepare } from './prepare.mjs';

// A command may answer with exit code 1.
await prepare({ exitCode: 2 });
await import('../dist/program/overgraph.js');
