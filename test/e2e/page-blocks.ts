import { readFile } from 'node:fs/promises';

/**
 * The pages whose commands run on a started controller, in the order in which they run. It matters:
 * all commands together are one script, and later ones use what earlier ones made.
 */
export const RUNNING_PAGES = [
  'README.md',
  'docs/rest.md',
  'docs/graphql.md',
  'docs/joining.md',
  'docs/logging-in.md',
  'docs/spiffe.md',
  'docs/openid-connect.md',
  'docs/reaching-services.md',
  'docs/asking.md',
  'docs/use-of-access.md',
  'docs/changing.md',
  'docs/directories.md',
  'docs/access-requests.md',
  'docs/people.md',
  'docs/import-export.md',
  'docs/operating-watching.md',
  'docs/operating-backup.md',
];

/** The pages whose commands run while no controller does, in order. */
export const STOPPED_PAGES = [
  'docs/operating.md',
  'docs/keys.md',
  'docs/operating-watching.md',
  'docs/operating-backup.md',
];

/** The code blocks of pages with a mark, in order. */
export async function blocksOf(mark: string, pages: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')));
  return texts.flatMap((text) => blocksIn(mark, text));
}

/** The code blocks of one text with a mark, in order. */
export function blocksIn(mark: string, text: string): string[] {
  const blocks = new RegExp(`^\`\`\`${mark}\\n(.*?)^\`\`\`$`, 'gms');
  return [...text.matchAll(blocks)].map(([, block = '']) => block);
}
