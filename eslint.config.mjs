import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'Exports have names.',
};
const noEnvironment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message:
    'Only src/programs/configuration.ts reads the environment; programs hand it to loadConfig.',
};
const WHERE_STATEMENTS_GO =
  'A statement stands in the home of its table, which is a folder of src/data/rows, or in the store.';
const noSql = {
  selector: "TaggedTemplateExpression[tag.name='sql']",
  message: `${WHERE_STATEMENTS_GO} A condition has a name and stands there, too.`,
};
const STATEMENT = String.raw`/^\s*(select|insert|update|delete|with)\b/i`;
const noStatement = {
  selector: `TaggedTemplateExpression[tag.name='sql'][quasi.quasis.0.value.raw=${STATEMENT}]`,
  message: `${WHERE_STATEMENTS_GO} Declarations have expressions alone.`,
};
const QUERY = "CallExpression[callee.property.name='query']";
/** A driver also takes a statement as a plain text. */
const noStatementText = {
  selector: `${QUERY}[arguments.0.value=${STATEMENT}], ${QUERY}[arguments.0.quasis.0.value.raw=${STATEMENT}]`,
  message: WHERE_STATEMENTS_GO,
};
/** The texts of errors are for people: a decision by their words changes with the next better text. */
const TEXTS = '/^(message|reason|stderr)$/';
const MESSAGES = '/^(message|stderr)$/';
const SEARCHES = '/^(includes|startsWith|endsWith|match|matchAll|search|indexOf)$/';
const OWN_WORDS = `CallExpression[callee.property.name=${SEARCHES}]`;
const PATTERN = "CallExpression[callee.property.name='test']";
const byWords = [
  `${OWN_WORDS}[callee.object.name=${TEXTS}]`,
  `${OWN_WORDS}[callee.object.property.name=${TEXTS}]`,
  `${PATTERN}[arguments.0.name=${MESSAGES}]`,
  `${PATTERN}[arguments.0.property.name=${MESSAGES}]`,
  "BinaryExpression[operator=/^[!=]==?$/]:matches([left.property.name='message'], [right.property.name='message'])",
];
/** A property that runs beyond the time of its test ends without its seed. */
const ASSERTION =
  "CallExpression[callee.object.name='fc'][callee.property.name=/^(assert|check)$/]";
const noUnboundedProperty = {
  selector: `${ASSERTION}[arguments.length<2], ${ASSERTION} > ObjectExpression > Property[key.name='numRuns']`,
  message: 'runs() and costlyRuns() of test/support/runs.ts say how often a property runs.',
};
const noDecisionByWords = {
  selector: byWords.join(', '),
  message: 'Codes, fields and types decide; the words of an error are for people.',
};

export default defineConfig(
  {
    ignores: [
      'dist/',
      'dist-bench/',
      'data/',
      'coverage/',
      'schema/',
      'src/network/messages/emitted/',
      'src/data/prisma/emitted/',
      'src/programs/emitted/',
      'console/src/emitted/',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: { allowDefaultProject: ['*.config.ts'] } },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // Object types of type-graphql are classes, and resolvers answer with plain objects of their
      // shape.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // A decorated class of type-graphql may have nothing but decorators.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
    },
  },
  {
    files: ['src/**/*.ts', 'rest-compat/**/*.ts'],
    rules: {
      complexity: ['error', 10],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        noDefaultExport,
        noEnvironment,
        noSql,
        noStatementText,
        noDecisionByWords,
      ],
    },
  },
  {
    files: ['console/src/**/*.{ts,tsx}'],
    // Vite gives the address of a file as a default export.
    ignores: ['console/src/assets.d.ts'],
    rules: {
      complexity: ['error', 10],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      'no-restricted-syntax': ['error', noDefaultExport, noDecisionByWords],
    },
  },
  {
    // A declaration says how an attribute or a relation reads in SQL.
    files: ['src/resources/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        noDefaultExport,
        noEnvironment,
        noStatement,
        noStatementText,
        noDecisionByWords,
      ],
    },
  },
  {
    // Where SQL is composed, and where statements stand.
    files: [
      'src/{data/{store,rows},kernel/{declare,filter,graph,read,request,write}}/**/*.ts',
      'src/base/{sql,shared-text,advisory-lock}.ts',
      'src/kernel/policy/membership-sql.ts',
    ],
    rules: {
      'no-restricted-syntax': ['error', noDefaultExport, noEnvironment, noDecisionByWords],
    },
  },
  {
    // Programs: they print, hand the environment over, and say how libraries are to run.
    files: [
      'src/programs/{main,worker-main,emit,migration}.ts',
      'src/programs/controller/{process-settings,banner}.ts',
      'src/programs/{cli,demo}/**/*.ts',
    ],
    rules: {
      'no-restricted-syntax': ['error', noDefaultExport, noSql, noStatementText, noDecisionByWords],
    },
  },
  {
    files: [
      'src/programs/controller/banner.ts',
      'src/programs/{emit,migration}.ts',
      'src/programs/{cli,demo}/**/*.ts',
    ],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/bench/**'],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': ['error', noDefaultExport, noUnboundedProperty],
    },
  },
  {
    // Matchers such as expect.any() are typed any by jest.
    files: ['test/**/*.ts'],
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  {
    // Plain Node: tools of the checkout, and the ends of a test run.
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        __filename: 'readonly',
        Buffer: 'readonly',
        clearInterval: 'readonly',
        clearTimeout: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        module: 'writable',
        process: 'readonly',
        setInterval: 'readonly',
        setTimeout: 'readonly',
        URL: 'readonly',
      },
    },
    rules: { 'no-restricted-syntax': ['error', noDecisionByWords] },
  },
);
