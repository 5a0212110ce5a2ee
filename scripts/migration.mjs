/** `npm run migration -- <name> | --check`: writes the migration for the declared tables, or checks it. */
import { prepare } from './prepare.mjs';

await prepare();
await import('../dist/src/migration.js');
