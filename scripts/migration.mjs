/** `npm run migration -- <name> | --check`: writes the migration that the declared tables need, or tells of it. */
import { prepare } from './prepare.mjs';

await prepare();
await import('../dist/src/migration.js');
