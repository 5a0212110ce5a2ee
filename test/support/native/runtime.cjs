/**
 * Loads test files by Node's own `import` instead of jest's: the product and the libraries are
 * evaluated once per worker instead of once per file, and run as they do in production. What is
 * in `test/` is evaluated for each file, since it may hold state and register hooks (hooks.mjs).
 */
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { register } = require('node:module');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');
const { compile } = require('./compile.cjs');

register('./hooks.mjs', pathToFileURL(__filename));

/** Where the source map of a module lies: made when an error first wants it. */
class SourceMaps extends Map {
  get(source) {
    if (!/^file:.*\/(src|rest-compat|test)\/.*\.ts(\?|$)/.test(source)) return undefined;
    const path = fileURLToPath(source);
    if (!this.has(path)) {
      const file = join(folder(), `${String(this.size)}.map`);
      writeFileSync(file, compile(path, readFileSync(path, 'utf8')).map);
      this.set(path, file);
    }
    return super.get(path);
  }
}

let made;

function folder() {
  if (made) return made;
  made = mkdtempSync(join(tmpdir(), 'overgraph-maps-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}

const sourceMaps = new SourceMaps();
let files = 0;

module.exports = class NativeRuntime extends Runtime {
  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    files += 1;
    return import(`${pathToFileURL(path).href}?file=${String(files)}`);
  }

  /** jest's framework: it keeps the tests of one file, so that each file needs a new one. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  getSourceMaps() {
    return sourceMaps;
  }
};
module.exports.default = module.exports;
