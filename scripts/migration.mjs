/** `npm run migration -- <name> | --check`: writes the migration for the declared tables, or checks it. */
import { prepareSchemaTools } from './prepare.mjs';

await prepareSchemaTools();
await import('../dist/src/programs/migration.js');
