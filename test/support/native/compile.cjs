/** TypeScript to JavaScript, by the settings in .swcrc. */
const { transformSync } = require('@swc/core');

/** Code and source map of a file. */
exports.compile = (filename, source) =>
  transformSync(source, { filename, sourceFileName: filename, sourceMaps: true });
