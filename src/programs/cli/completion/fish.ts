import { flagOf, type CompletedOption, type Completion } from './completion.js';

export function fishScript({ commands, options, values }: Completion): string {
  const lines = [
    ...options.map((option) => optionLine('__overgraph_at', option)),
    ...commands.map(
      ({ name, summary }) => `${COMPLETE} -n __overgraph_at -a ${name} -d ${quoted(summary)}`,
    ),
    ...commands.flatMap(({ name, options: own }) =>
      own.map((option) => optionLine(`__overgraph_in ${name}`, option)),
    ),
    ...commands.flatMap(({ operands }) =>
      operands.map(({ after, words, isFile }) => {
        const condition = `-n '__overgraph_at ${after.join(' ')}'`;
        return `${COMPLETE} ${condition} ${isFile ? '-F' : `-a ${quoted(words.join(' '))}`}`;
      }),
    ),
  ];
  return `# Completion of overgraph for fish: overgraph completion fish | source
function __overgraph_words
    set -l skip
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip
            continue
        end
        switch $word
            case ${values.map(flagOf).join(' ')}
                set skip 1
            case '-*'
            case '*'
                echo $word
        end
    end
end
function __overgraph_at
    set -l words (__overgraph_words)
    test "$words" = "$argv"
end
function __overgraph_in
    set -l words (__overgraph_words)
    test "$words[1]" = "$argv[1]"
end
complete -c overgraph -f
${lines.join('\n')}
`;
}

const COMPLETE = 'complete -c overgraph';

function optionLine(condition: string, option: CompletedOption): string {
  const { name, short, text, takesValue, choices, isFile } = option;
  const parts = [
    `${COMPLETE} -n ${quoted(condition)}`,
    ...(short === undefined ? [] : [`-s ${short}`]),
    `-l ${name}`,
    ...(isFile ? ['-r -F'] : takesValue ? ['-x'] : []),
    ...(choices.length > 0 ? [`-a ${quoted(choices.join(' '))}`] : []),
    `-d ${quoted(text)}`,
  ];
  return parts.join(' ');
}

/** Within single quotes fish reads `\'` and `\\`. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
