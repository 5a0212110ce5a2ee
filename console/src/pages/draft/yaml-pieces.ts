/** A part of a document of YAML that can be read alone: a member of it, or some entries of its list. */
export interface YamlPiece {
  readonly key: string;
  readonly text: string;
  /** The line of the document that its first line stands for. */
  readonly line: number;
}

/** Reading takes many times the memory of the text, so a long list is read in parts of this size. */
const LONG_ENOUGH = 512 * 1024;

const MEMBER = /^([A-Za-z_]\w*):(?:\s|$)/;
const COMMENT = /^\s*(?:#|$)/;
const ITEM = /^( *)-(?:\s|$)/;

/** The member whose lines are read now. */
interface Member {
  readonly key: string;
  /** How far the entries are indented; undefined before the first one, null when it is no list. */
  indent: number | null | undefined;
  lines: string[];
  length: number;
  /** Of the piece: the line of the document that its first line stands for. */
  line: number;
}

/**
 * Cuts a document into pieces: before its members, and before entries of their lists. All that belongs
 * to a member or an entry is indented further (YAML 1.2, 8.1 and 8.2), so no text within it is cut.
 * Gives undefined for documents of another form; these are read as a whole.
 */
export function piecesOf(text: string): readonly YamlPiece[] | undefined {
  const members: YamlPiece[] = [];
  const keys = new Set<string>();
  let member: Member | undefined;
  for (const [number, line] of numberedLines(text)) {
    if (isWithin(member, line)) {
      if (member) addLine(member, number, line, members);
    } else if (member !== undefined || !/^---\s*$/.test(line)) {
      const next = memberOf(number, line);
      if (!next || keys.has(next.key)) return undefined;
      if (member) members.push(pieceOf(member));
      keys.add(next.key);
      member = next;
    }
  }
  return member ? [...members, pieceOf(member)] : undefined;
}

const pieceOf = ({ key, lines, line }: Member): YamlPiece => ({
  key,
  text: lines.join(''),
  line,
});

/** A line with content that is not indented begins a member, or an entry of a list. */
const isWithin = (member: Member | undefined, line: string): boolean =>
  COMMENT.test(line) || (member !== undefined && (line.startsWith(' ') || isEntry(member, line)));

function memberOf(line: number, head: string): Member | undefined {
  const key = MEMBER.exec(head)?.[1];
  if (key === undefined) return undefined;
  const isAlone = COMMENT.test(head.slice(key.length + 1));
  return { key, indent: isAlone ? undefined : null, lines: [head], length: 0, line };
}

/** Adds a line to a member. A piece that is long enough is finished before an entry. */
function addLine(member: Member, number: number, line: string, pieces: YamlPiece[]): void {
  if (isEntry(member, line) && member.length > LONG_ENOUGH) {
    pieces.push(pieceOf(member));
    // The head of the list stands in for the line before.
    Object.assign(member, { lines: [`${member.key}:\n`], length: 0, line: number - 1 });
  }
  member.lines.push(line);
  member.length += line.length;
}

/** Whether a line begins an entry of the list. The first line with content decides whether it is one. */
function isEntry(member: Member, line: string): boolean {
  if (member.indent === null || COMMENT.test(line)) return false;
  const indent = ITEM.exec(line)?.[1]?.length;
  member.indent ??= indent ?? null;
  return indent !== undefined && indent === member.indent;
}

/** Lines with their ends. */
function* numberedLines(text: string): Generator<readonly [number: number, line: string]> {
  let number = 1;
  for (let from = 0; from < text.length; number += 1) {
    const end = text.indexOf('\n', from);
    const to = end === -1 ? text.length : end + 1;
    yield [number, text.slice(from, to)];
    from = to;
  }
}
