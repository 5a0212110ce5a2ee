/**
 * The architecture: imports point one way.
 * main -> rest-compat -> graph -> resources -> modules -> kernel, with filter and store beside it.
 */
const MODULES =
  'policy|auth|pki|enrollment|posture|presence|analysis|changes|config-types|transfer|integrity|observability|limits';

const program =
  '^src/(main|access-guard|access-watch|emit|banner|config|connections|controller|assembly|bootstrap|every|follow-model|heartbeat|key-upkeep|change-sink|change-upkeep|fault-record|listener|open-doors|ordered-stop|progress|serve|session-upkeep|presence-upkeep|version|warn|watch)\\.ts$|^src/(cli|http|release)/';
const rest = '^rest-compat/';
const graph = '^src/graph/';
const resources = '^src/resources/';
const modules = `^src/(${MODULES})/`;
const kernel = '^src/kernel/';
const filter = '^src/filter/';
const store = '^src/store/';

const forbid = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

/** Each layer with the layers that it must not import. */
const LAYERS = [
  ['rest-compat', rest, [program]],
  ['graph', graph, [program, rest]],
  ['resources', resources, [program, rest, graph]],
  ['modules', modules, [program, rest, graph, resources]],
  ['kernel', kernel, [program, rest, graph, resources, modules]],
  ['filter', filter, [program, rest, graph, resources, modules, store]],
  ['store', store, [program, rest, graph, resources, modules, filter]],
];

module.exports = {
  forbidden: [
    // Types may name each other: a context carries the catalog whose resources name the context.
    forbid(
      'no-cycles',
      {},
      { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
      'what needs each other is one thing',
    ),
    ...LAYERS.map(([name, path, above]) =>
      forbid(`${name}-imports-downwards`, { path }, { path: above }, 'imports point one way'),
    ),
    forbid(
      'filter-knows-little-of-the-kernel',
      { path: filter },
      { path: kernel, pathNot: `${kernel}(errors|sql)\\.ts$` },
      'it is a tool of the kernel, not its user',
    ),
    forbid(
      'store-knows-its-port-alone',
      { path: store },
      {
        path: kernel,
        pathNot: `${kernel}(errors|sql|store-port|row|resource|symbols|attribute|request-scope|program-folder)\\.ts$`,
      },
      'it implements the port of the kernel, in terms of its resources',
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
      'prisma-only-in-store',
      { path: '^(src|rest-compat)/', pathNot: store },
      { path: ['node_modules/@prisma/', `${store}generated/`] },
      'the store is the only one that knows Prisma',
    ),
    forbid(
      'certificates-only-in-pki',
      { path: '^(src|rest-compat)/', pathNot: '^src/pki/' },
      { path: ['node_modules/(@types/)?node-forge/', 'node_modules/@peculiar/x509/'] },
      'one place builds and reads certificates',
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
    doNotFollow: { path: ['node_modules', '^src/store/generated/'] },
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
