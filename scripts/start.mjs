/** `npm start`: prepares the checkout, then becomes the controller. */
import { prepare } from './prepare.mjs';

await prepare();
await import('../dist/src/main.js');
