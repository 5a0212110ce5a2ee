import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The markdown files of the product, as readers of a checkout find them. */
export const pages: readonly string[] = ['.', 'docs', 'examples'].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);

export const textOf = (page: string): string => readFileSync(page, 'utf8');

/** Lines, as an editor counts them. */
export const linesOf = (page: string): readonly string[] =>
  textOf(page).replace(/\n$/, '').split('\n');

/** The text outside of code blocks: examples hold `#` and brackets of their own. */
export const proseOf = (page: string): string => textOf(page).replace(/^( *)```.*?^\1```$/gms, '');

export interface Link {
  readonly page: string;
  /** As it is written. */
  readonly target: string;
  /** The file, from the folder of the checkout. */
  readonly file: string;
  /** Without `#`; undefined when the link leads to the whole file. */
  readonly anchor: string | undefined;
}

const isRelative = (target: string): boolean => !/^[a-z][a-z+.-]*:/i.test(target);

/** The links of a page to files of the checkout and to its own headings. */
export const linksOf = (page: string): readonly Link[] =>
  [...proseOf(page).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter(isRelative)
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : normalize(join(dirname(page), path));
      return { page, target, file, anchor };
    });

/** The headings of a page below its title, by level. */
export const headingsOf = (page: string, level: number): readonly string[] =>
  [...proseOf(page).matchAll(new RegExp(`^#{${String(level)}} (.+)$`, 'gm'))].map(
    ([, heading = '']) => heading,
  );

/** The anchor that hosts of repositories give a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

export const anchorsOf = (page: string): ReadonlySet<string> =>
  new Set([1, 2, 3, 4].flatMap((level) => headingsOf(page, level)).map(anchorOf));
