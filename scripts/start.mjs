/** `npm start`: prepares the checkout, then becomes the controller. */
import { endWithNpm } from './end-with-npm.mjs';
import { prepare } from './prepare.mjs';

endWithNpm();
await prepare({ console: true });
await import('../dist/program/main.js');
