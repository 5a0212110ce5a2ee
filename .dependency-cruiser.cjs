/**
 * The architecture: the rooms of `src` in one order. None imports a room above it, types included.
 * The store stands aside: it implements the port of the kernel, and the programs alone reach it.
 */
const store = '^src/data/store/';

/** From the lowest to the highest. */
const ROOMS = [
  ['base', '^src/base/'],
  // The kernel names the rows of Prisma, and Prisma's rows have the types that the kernel declares.
  ['kernel', '^src/(kernel|data/prisma)/'],
  ['data', '^src/data/(rows|changes|config-types)/'],
  ['requests', '^src/requests/'],
  ['trust', '^src/trust/'],
  ['network', '^src/network/'],
  ['access', '^src/access/'],
  ['inventory', '^src/inventory/'],
  ['resources', '^src/resources/'],
  ['graph', '^src/graph/'],
  ['rest-compat', '^rest-compat/'],
  ['edge', '^src/edge/'],
  ['programs', '^src/programs/'],
];

/** Each folder of these has its one door. */
const MODULE =
  '^src/(kernel/policy|data/(?:changes|config-types|rows/[^/]+)|(?:requests|trust|network|access|inventory)/[^/]+)/';
const DOOR = `${MODULE}index\\.ts$`;

const forbid = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

module.exports = {
  forbidden: [
    forbid('no-cycles', {}, { circular: true }, 'what needs each other is one thing'),
    ...ROOMS.slice(0, -1).map(([name, path], i) =>
      forbid(
        `${name}-imports-downwards`,
        { path },
        { path: ROOMS.slice(i + 1).map(([, above]) => above) },
        'imports point one way',
      ),
    ),
    forbid(
      'every-folder-has-a-room',
      { path: '^src/', pathNot: [...ROOMS.map(([, path]) => path), store] },
      {},
      'name the place of the folder in the order here',
    ),
    forbid(
      'filter-and-policy-know-base-alone',
      { path: '^src/kernel/(filter|policy)/' },
      { path: '^src/', pathNot: ['^src/base/', '^src/kernel/$1/'] },
      'a language and a definition, without the rest of the kernel',
    ),
    forbid(
      'store-knows-its-port-alone',
      { path: store },
      {
        path: '^(src|rest-compat)/',
        pathNot: [store, '^src/base/', '^src/kernel/(declare|request)/', '^src/data/prisma/'],
      },
      'it implements the port of the kernel, in terms of its resources',
    ),
    forbid(
      'store-is-reached-through-its-port',
      { path: '^(src|rest-compat)/', pathNot: [store, '^src/programs/'] },
      { path: store },
      'the kernel names what a store does',
    ),
    forbid(
      'modules-have-one-door',
      { path: '^(src|rest-compat)/', pathNot: MODULE },
      { path: MODULE, pathNot: DOOR },
      'a module is entered through its index.ts',
    ),
    forbid(
      'modules-have-one-door-among-each-other',
      { path: MODULE },
      { path: MODULE, pathNot: [DOOR, '^src/$1/'] },
      'a module is entered through its index.ts',
    ),
    forbid(
      'certificates-only-in-pki',
      { path: '^(src|rest-compat)/', pathNot: '^src/trust/pki/' },
      { path: ['node_modules/(@types/)?node-forge/', 'node_modules/@peculiar/x509/'] },
      'one place builds and reads certificates',
    ),
    forbid(
      'prisma-only-in-its-folder',
      { path: '^(src|rest-compat)/', pathNot: '^src/data/prisma/' },
      { path: ['node_modules/@prisma/', '^src/data/prisma/emitted/'] },
      'its next version will have another interface',
    ),
    forbid(
      'express-only-at-the-edge',
      {
        path: '^(src|rest-compat)/',
        pathNot: ['^src/programs/main\\.ts$', '^src/graph/.*server', '^src/edge/', '^rest-compat/'],
      },
      { path: ['node_modules/(@types/)?express/', 'node_modules/@as-integrations/'] },
      'HTTP ends at the edge',
    ),
    ...rulesOfConsole(),
  ],
  options: {
    // Prisma's client is made by the build.
    doNotFollow: { path: ['node_modules', '^src/data/prisma/emitted/'] },
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

/** The console, which stands beside the rooms: layers from the lowest to the highest. */
function rulesOfConsole() {
  const layers = [
    ['data', '^console/src/(emitted|description|graph|texts)[./]'],
    // By what the address of a page holds, the other pages link to it.
    ['addresses', '^console/src/addresses/'],
    // The changes of this tab that are not made yet.
    ['draft', '^console/src/draft/'],
    ['login', '^console/src/login/'],
    ['parts', '^console/src/parts/'],
    ['forms', '^console/src/forms/'],
    ['pages', '^console/src/pages/[^/]+/'],
    ['app', '^console/src/(shell/|main\\.tsx$|assets\\.d\\.ts$)'],
  ];
  return [
    ...layers
      .slice(0, -1)
      .map(([name, path], i) =>
        forbid(
          `console-${name}-imports-downwards`,
          { path },
          { path: layers.slice(i + 1).map(([, above]) => above) },
          'imports point one way',
        ),
      ),
    forbid(
      'every-folder-of-the-console-has-a-layer',
      { path: '^console/src/', pathNot: layers.map(([, path]) => path) },
      {},
      'name the place of the folder in the order here',
    ),
    forbid(
      'pages-of-the-console-share-parts',
      { path: '^console/src/pages/([^/]+)/' },
      { path: '^console/src/pages/', pathNot: '^console/src/pages/$1/' },
      'what several pages show is a part',
    ),
    forbid(
      'console-knows-the-graph-alone',
      { path: '^console/src/' },
      { path: '^(src|rest-compat)/' },
      'it is a client as others are',
    ),
  ];
}
