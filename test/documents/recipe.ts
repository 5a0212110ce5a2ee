import { textOf } from './pages.js';

/* The recipes of the documents: what they change in files, and the commands that follow. */

/** A file that a recipe makes, or changes at places that its lines show. */
export interface Edit {
  readonly file: string;
  readonly kind: 'new' | 'diff';
  readonly lines: readonly string[];
}

export interface Recipe {
  readonly title: string;
  readonly edits: readonly Edit[];
  readonly commands: readonly string[];
  /** The statements that its migration has, if the page shows them. */
  readonly migration: string | undefined;
  /** The files that the recipe says it changes by hand. */
  readonly named: readonly string[];
}

const PAGES = ['docs/recipes.md', 'docs/recipes-types.md'];

/** The blocks of a section with what stands behind the three marks, without the indent of a list. */
const blocksIn = (section: string): { readonly info: string; readonly lines: string[] }[] =>
  [...section.matchAll(/^( *)```(\S[^\n]*)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', info = '', text = '']) => ({
      info,
      lines: text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => line.slice(indent.length)),
    }),
  );

const filesIn = (section: string, label: string): string[] => {
  const [, list = ''] = new RegExp(`^\\*\\*${label}:\\*\\*(.*?)\\n\\n`, 'ms').exec(section) ?? [];
  return [...list.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
};

function recipeOf(section: string): Recipe {
  const blocks = blocksIn(section);
  const marked = (mark: string) => blocks.filter(({ info }) => info === mark);
  return {
    title: section.slice(0, section.indexOf('\n')),
    edits: blocks.flatMap(({ info, lines }) => {
      const [, kind, file] = /^\w* ?\b(new|diff) (\S+)$/.exec(info) ?? [];
      if (file === undefined) return [];
      return [{ file, lines, kind: kind === 'new' ? 'new' : 'diff' } as const];
    }),
    commands: marked('sh follow').flatMap(({ lines }) => lines),
    migration: marked('sql migration')[0]?.lines.join('\n'),
    named: [...filesIn(section, 'By hand'), ...filesIn(section, 'Lists in tests')],
  };
}

/** In the order in which they are followed: later ones build on earlier ones. */
export const recipes: readonly Recipe[] = PAGES.flatMap((page) =>
  textOf(page).split(/^## /m).slice(1).map(recipeOf),
);

/** The text of a file after an edit. The indent of lines does not count. */
export function edited(text: string, { kind, lines }: Edit): string {
  if (kind === 'new') return `${lines.join('\n')}\n`;
  const hunks = lines.join('\n').split(/^@@\n/m);
  return hunks.reduce((before, hunk) => withHunk(before, hunk.replace(/\n$/, '')), text);
}

/** A line without its indent, and without what aligns the cells of a table. */
const plain = (line: string): string => line.trim().replace(/ {2,}/g, ' ');

function withHunk(text: string, hunk: string): string {
  const before = text.split('\n');
  const change = hunk.split('\n').map((line) => [line.charAt(0), line.slice(1)] as const);
  const old = change.filter(([sign]) => sign !== '+').map(([, line]) => plain(line));
  const places = before.flatMap((_, i) =>
    old.every((line, j) => plain(before[i + j] ?? '') === line) ? [i] : [],
  );
  const [place] = places;
  if (place === undefined || places.length > 1) {
    throw new Error(`${String(places.length)} places have these lines:\n${old.join('\n')}`);
  }
  let next = place;
  const after = change.flatMap(([sign, line]) => {
    if (sign === '+') return [line];
    const present = before[next] ?? '';
    next += 1;
    return sign === '-' ? [] : [present];
  });
  return [...before.slice(0, place), ...after, ...before.slice(next)].join('\n');
}
