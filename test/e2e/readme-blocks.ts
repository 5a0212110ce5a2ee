import { readFile } from 'node:fs/promises';

/** The code blocks of the README with a mark, in order. */
export async function blocksOf(mark: string): Promise<string[]> {
  const readme = await readFile('README.md', 'utf8');
  const blocks = new RegExp(`^\`\`\`${mark}\\n(.*?)^\`\`\`$`, 'gms');
  return [...readme.matchAll(blocks)].map(([, block = '']) => block);
}
