/** `node scripts/operations.mjs`: types the operations of the command line and of the example company. */
import { writeOperations } from './typed-operations.mjs';

await writeOperations('src/programs');
