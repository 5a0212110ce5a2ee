/**
 * `node scripts/console/build.mjs`: writes what the console knows of the graph into
 * `console/src/emitted`, and builds the console into `dist/console`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { root } from '../run.mjs';
import { writeOperations } from '../typed-operations.mjs';
import { compressFiles } from './compress.mjs';
import { describeGraph } from './describe-graph.mjs';

const folder = join(root, 'console');
const emitted = join(folder, 'src/emitted');
const output = join(root, 'dist/console');

const readSchema = (name) => readFileSync(join(root, 'schema', name), 'utf8');
const schema = buildSchema(readSchema('schema.graphql'));
const permissions = JSON.parse(readSchema('permissions.json'));
const keptEntities = JSON.parse(readSchema('kept-entities.json'));
mkdirSync(emitted, { recursive: true });
const description = describeGraph(schema, permissions, keptEntities);
writeFileSync(join(emitted, 'description.json'), JSON.stringify(description));
await writeOperations('console/src');

if (!process.argv.includes('--types')) {
  await bundle();
  compressFiles(output);
}

async function bundle() {
  // Loaded here, so that the types can be written without it.
  const { build } = await import('vite');
  rmSync(output, { recursive: true, force: true });
  await build({
    configFile: false,
    root: folder,
    base: '/console/',
    // Its warnings are about marks for servers that render pages, which several packages have.
    logLevel: 'error',
    // The root has the older React of GraphiQL: all packages use the one of the console.
    resolve: { dedupe: ['react', 'react-dom'] },
    worker: { format: 'es' },
    build: {
      outDir: output,
      emptyOutDir: true,
      target: 'es2022',
      // The content security policy allows no data in addresses but images.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1000,
      reportCompressedSize: false,
    },
  });
}
