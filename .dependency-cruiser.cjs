/**
 * The architecture: imports point one way, types included.
 * main -> controller -> rest-compat -> graph -> access -> resources -> modules -> data -> kernel -> base,
 * with filter and store beside the kernel.
 */
const MODULES =
  'policy|access-use|auth|pki|enrollment|posture|presence|control|fabric|analysis|drafts|changes|config-types|transfer|integrity|observability|limits|events|search|reviews';

const programs = '^src/([^/]+\\.ts$|(controller|workers|cli|http|release)/)';
const rest = '^rest-compat/';
const graph = '^src/graph/';
const access = '^src/access/';
const resources = '^src/resources/';
const modules = `^src/(${MODULES})/`;
const data = '^src/data/';
/** The kernel names the rows of Prisma, and Prisma's rows have the types that the kernel declares. */
const kernel = '^src/(kernel|prisma)/';
const filter = '^src/filter/';
const store = '^src/store/';
const base = '^src/base/';

const forbid = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

/** From the lowest to the highest; none imports what stands behind it. */
const LAYERS = [
  ['base', base],
  ['filter', filter],
  ['kernel', kernel],
  ['data', data],
  ['modules', modules],
  ['resources', resources],
  ['access', access],
  ['graph', graph],
  ['rest-compat', rest],
  ['programs', programs],
];

module.exports = {
  forbidden: [
    forbid('no-cycles', {}, { circular: true }, 'what needs each other is one thing'),
    ...LAYERS.slice(0, -1).map(([name, path], i) =>
      forbid(
        `${name}-imports-downwards`,
        { path },
        { path: LAYERS.slice(i + 1).map(([, above]) => above) },
        'imports point one way',
      ),
    ),
    forbid(
      'every-folder-has-a-layer',
      { path: '^src/', pathNot: [...LAYERS.map(([, path]) => path), store] },
      {},
      'name the layer of the folder here',
    ),
    forbid(
      'store-knows-its-port-alone',
      { path: store },
      {
        path: '^(src|rest-compat)/',
        pathNot: [store, base, '^src/kernel/(declare|request)/', '^src/prisma/'],
      },
      'it implements the port of the kernel, in terms of its resources',
    ),
    forbid(
      'store-is-reached-through-its-port',
      { path: '^(src|rest-compat)/', pathNot: [store, programs] },
      { path: store },
      'the kernel names what a store does',
    ),
    forbid(
      'modules-have-one-door',
      { path: '^(src|rest-compat)/', pathNot: modules },
      { path: modules, pathNot: `^src/(${MODULES})/index\\.ts$` },
      'a module is entered through its index.ts',
    ),
    forbid(
      'modules-have-one-door-among-each-other',
      { path: `^src/(${MODULES})/` },
      { path: modules, pathNot: [`^src/(${MODULES})/index\\.ts$`, '^src/$1/'] },
      'a module is entered through its index.ts',
    ),
    forbid(
      'certificates-only-in-pki',
      { path: '^(src|rest-compat)/', pathNot: '^src/pki/' },
      { path: ['node_modules/(@types/)?node-forge/', 'node_modules/@peculiar/x509/'] },
      'one place builds and reads certificates',
    ),
    forbid(
      'prisma-only-in-its-folder',
      { path: '^(src|rest-compat)/', pathNot: '^src/prisma/' },
      { path: ['node_modules/@prisma/', '^src/prisma/emitted/'] },
      'its next version will have another interface',
    ),
    forbid(
      'express-only-at-the-edge',
      {
        path: '^(src|rest-compat)/',
        pathNot: ['^src/main\\.ts$', '^src/graph/.*server', '^src/http/', rest],
      },
      { path: ['node_modules/(@types/)?express/', 'node_modules/@as-integrations/'] },
      'HTTP ends at the edge',
    ),
  ],
  options: {
    // Prisma's client is made by the build.
    doNotFollow: { path: ['node_modules', '^src/prisma/emitted/'] },
    exclude: { path: '^(test|dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    // A type is a dependency as well.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
