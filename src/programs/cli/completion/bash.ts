import { flagOf, type Completion } from './completion.js';

/** Also for the bash 3.2 of macOS. */
export function bashScript({ commands, options, values }: Completion): string {
  const free = values.filter(({ choices, isFile }) => choices.length === 0 && !isFile);
  const steps = commands.flatMap(({ operands }) => operands);
  const words = (list: readonly string[]): string => `words='${list.join(' ')}'`;
  return `# Completion of overgraph for bash: source <(overgraph completion bash)
_overgraph() {
  local IFS=$' \\t\\n'
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local line= skip= words= i
  COMPREPLY=()
  if [[ $cur == '=' ]]; then cur=; fi
  if [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ -n $skip ]]; then
      if [[ \${COMP_WORDS[i]} != '=' ]]; then skip=; fi
      continue
    fi
    case \${COMP_WORDS[i]} in
      ${values.map(flagOf).join(' | ')}) skip=1 ;;
      -*) ;;
      *) line+="\${line:+ }\${COMP_WORDS[i]}" ;;
    esac
  done
  case $prev in
${cases(values.filter(({ choices }) => choices.length > 0).map((option) => [[flagOf(option)], words(option.choices)]))}
${cases([[values.filter(({ isFile }) => isFile).map(flagOf), '_overgraph_files; return']])}
${cases([[free.map(flagOf), 'return']])}
    *)
      if [[ $cur == -* ]]; then
        case \${line%% *} in
${cases(
  commands.map(({ name, options: own }) => [[name], words(own.map(flagOf))]),
  10,
)}
          *) ${words(options.map(flagOf))} ;;
        esac
      else
        case $line in
          '') ${words(commands.map(({ name }) => name))} ;;
${cases(
  steps.map(({ after, words: next, isFile }) => [
    [`'${after.join(' ')}'`],
    isFile ? '_overgraph_files; return' : words(next),
  ]),
  10,
)}
        esac
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
_overgraph_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}
complete -F _overgraph overgraph
`;
}

const cases = (
  list: readonly (readonly [patterns: readonly string[], action: string])[],
  indent = 4,
): string =>
  list
    .filter(([patterns]) => patterns.length > 0)
    .map(([patterns, action]) => `${' '.repeat(indent)}${patterns.join(' | ')}) ${action} ;;`)
    .join('\n');
