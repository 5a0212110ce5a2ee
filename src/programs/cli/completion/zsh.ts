import { flagOf, shellQuoted, type CompletedOption, type Completion } from './completion.js';

export function zshScript({ commands, options, values }: Completion): string {
  const free = values.filter(({ choices, isFile }) => choices.length === 0 && !isFile);
  const files = values.filter(({ isFile }) => isFile);
  const chosen = values.filter(({ choices }) => choices.length > 0);
  const steps = commands.flatMap(({ operands }) => operands);
  return `#compdef overgraph
# Completion of overgraph for zsh: source <(overgraph completion zsh), or as _overgraph in a folder of $fpath
_overgraph() {
  local line= skip= word i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $skip ]]; then
      skip=
      continue
    fi
    case $word in
      (${alternatives(values)}) skip=1 ;;
      (-*) ;;
      (*) line+="\${line:+ }$word" ;;
    esac
  done
  local prev=\${words[CURRENT-1]}
  if [[ \${words[CURRENT]} == --*=* ]]; then
    prev=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  case $prev in
${chosen.map((option) => `    (${flagOf(option)}) compadd -- ${option.choices.join(' ')}; return ;;`).join('\n')}
    (${alternatives(files)}) _files; return ;;
    (${alternatives(free)}) return ;;
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    case \${line%% *} in
${commands.map(({ name, options: own }) => `      (${name}) found=(${described(own)}) ;;`).join('\n')}
      (*) found=(${described(options)}) ;;
    esac
    _describe -o option found
    return
  fi
  case $line in
    ('') found=(${commands.map(({ name, summary }) => shellQuoted(`${name}:${summary}`)).join(' ')}) ;;
${steps
  .map(({ after, words, isFile }) => {
    const action = isFile ? '_files; return' : `found=(${words.join(' ')})`;
    return `    (${shellQuoted(after.join(' '))}) ${action} ;;`;
  })
  .join('\n')}
  esac
  _describe argument found
}
if [[ \${funcstack[1]} == _overgraph ]]; then
  _overgraph "$@"
else
  compdef _overgraph overgraph
fi
`;
}

const alternatives = (options: readonly CompletedOption[]): string => options.map(flagOf).join('|');

const described = (options: readonly CompletedOption[]): string =>
  options.map((option) => shellQuoted(`${flagOf(option)}:${option.text}`)).join(' ');
