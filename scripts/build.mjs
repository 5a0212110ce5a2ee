/** `npm run build`: the program and, beside it, the list of what it consists of. */
import { prepare } from './prepare.mjs';

await prepare({ sbom: true });
