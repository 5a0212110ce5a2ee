/** `npm run build`: the program and a list of its components. */
import { prepare } from './prepare.mjs';

await prepare({ console: true, sbom: true });
