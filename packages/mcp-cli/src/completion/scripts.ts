export const shells = ['bash', 'zsh', 'fish', 'pwsh'] as const;
export type Shell = (typeof shells)[number];

/**
 * At each Tab the script runs `mcpx __complete`, which prints `value<TAB>description` lines, and `:files` if the shell
 * must add file names. The script does not depend on the commands.
 */
export function completionScript(shell: Shell): string {
  return scripts[shell];
}

/** Keeps variables of the shell apart from template substitutions. */
const dollar = '$';

const scripts: Readonly<Record<Shell, string>> = {
  bash: String.raw`# Completion of mcpx for bash. In ~/.bashrc: source <(mcpx completion bash)
_mcpx() {
  local IFS=$'\n' line value current="${dollar}{COMP_WORDS[COMP_CWORD]#=}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      if [[ $current == -c* ]]; then
        compopt -o nospace 2>/dev/null
        COMPREPLY+=($(compgen -P -c -f -- "${dollar}{current#-c}"))
      else
        COMPREPLY+=($(compgen -f -- "$current"))
      fi
    else
      value=${dollar}{line%%$'\t'*}
      [[ $value == *= ]] && compopt -o nospace 2>/dev/null
      [[ $current == [\"\']* ]] || value=${dollar}{value// /\\ }
      COMPREPLY+=("$value")
    fi
  done < <("$1" __complete -- "${dollar}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _mcpx mcpx
`,
  zsh: String.raw`#compdef mcpx
# Completion of mcpx for zsh. In ~/.zshrc, below compinit: source <(mcpx completion zsh)
_mcpx() {
  local line value files=0
  local -a values open
  for line in "${dollar}{(@f)$(mcpx __complete -- "${dollar}{(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      files=1
    elif [[ -n $line ]]; then
      value=${dollar}{line%%$'\t'*}
      value=${dollar}{value//:/\\:}
      [[ $line == *$'\t' ]] || value="$value:${dollar}{line#*$'\t'}"
      [[ ${dollar}{line%%$'\t'*} == *= ]] && open+=("$value") || values+=("$value")
    fi
  done
  (( $#open )) && _describe -V mcpx open -S ''
  (( $#values )) && _describe -V mcpx values
  if (( files )); then
    [[ $PREFIX == --*=* ]] && compset -P '*='
    [[ $PREFIX == -c* ]] && compset -P '-c'
    _files
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _mcpx "$@"
else
  compdef _mcpx mcpx
fi
`,
  fish: `# Completion of mcpx for fish: mcpx completion fish > ~/.config/fish/completions/mcpx.fish
function __mcpx_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    for line in (mcpx __complete -- $words "$current" 2>/dev/null)
        if test "$line" = :files
            set -l option (string match -r -- '^(?:--[^=]*=|-c)' "$current")
            for path in (__fish_complete_path (string replace -r -- '^(?:--[^=]*=|-c)' '' "$current"))
                echo "$option$path"
            end
        else
            echo $line
        end
    end
end
complete -c mcpx -f -a '(__mcpx_complete)'
`,
  pwsh: `# Completion of mcpx for PowerShell. In $PROFILE: mcpx completion pwsh | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName mcpx -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    # An empty word does not reach a program in every version, so an option replaces it.
    $next = if ($wordToComplete -eq '') { @('--next') } else { @() }
    mcpx __complete @next '--' @words 2>$null | ForEach-Object {
        if ($_ -ne ':files') {
            $value, $description = $_ -split "\`t", 2
            if (-not $description) { $description = $value }
            if ($value.Contains(' ')) { $value = "'$value'" }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
        }
    }
}
`,
};
