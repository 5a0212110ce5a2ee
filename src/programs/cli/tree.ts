/** A line with what belongs to it below. */
export interface Branch {
  readonly text: string;
  readonly below?: readonly Branch[];
}

/** The lines of a tree, without an end of line after the last. */
export const tree = (root: Branch): string => [root.text, ...linesOf(root.below ?? [])].join('\n');

function linesOf(branches: readonly Branch[]): string[] {
  return branches.flatMap(({ text, below = [] }, i) => {
    const isLast = i === branches.length - 1;
    const rest = linesOf(below).map((line) => `${isLast ? '   ' : '│  '}${line}`);
    return [`${isLast ? '└─ ' : '├─ '}${text}`, ...rest];
  });
}
