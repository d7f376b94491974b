export type CommandLine = readonly string[];

/**
 * Commands that a wrapper runs: `env NAME=value …`, `sh -c '…'`, `mise exec -- …`. Empty if unclear, `undefined` for
 * other commands.
 */
export function wrappedCommands(name: string, args: readonly string[]): readonly CommandLine[] | undefined {
  if (name === 'cmd') return [after(args, (argument) => /^\/[ck]$/i.test(argument))];
  if (name === 'env') return [afterSettings(args)];
  if (shells.has(name)) return commandsOf(after(args, (argument) => /^-[a-z]*c$/.test(argument))[0] ?? '');
  if (prefixes.has(name)) return [afterOptions(args)];
  const subcommand = runners.get(name);
  return subcommand?.test(args[0] ?? '') ? [ofRunner(args.slice(1))] : undefined;
}

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish']);
const prefixes: ReadonlySet<string> = new Set(['exec', 'command', 'nohup', 'time', 'setsid']);

/** They prepare tools or secrets for the command after their subcommand. */
const runners: ReadonlyMap<string, RegExp> = new Map([
  ['mise', /^(exec|x)$/],
  ['asdf', /^exec$/],
  ['volta', /^run$/],
  ['fnm', /^exec$/],
  ['op', /^run$/],
  ['doppler', /^run$/],
  ['dotenvx', /^run$/],
]);

/** Options whose value is the next argument. */
const valueOption = /^(-[uCPf]|--(unset|chdir|node|npm|pnpm|yarn|env|env-file|using|project|config))$/;
const assignment = /^[A-Za-z_]\w*=/;

function after(args: readonly string[], isMark: (argument: string) => boolean): CommandLine {
  const mark = args.findIndex(isMark);
  return mark === -1 ? [] : args.slice(mark + 1);
}

function afterSettings(args: readonly string[]): CommandLine {
  const text = after(args, (argument) => /^(-[a-z]*S|--split-string)$/.test(argument))[0];
  const rest = afterOptions(text === undefined ? args : wordsOf(text));
  return withoutAssignments(rest);
}

function ofRunner(args: readonly string[]): CommandLine {
  const end = args.indexOf('--');
  return end === -1 ? afterOptions(args) : args.slice(end + 1);
}

function afterOptions(args: readonly string[]): CommandLine {
  let index = 0;
  while (args[index]?.startsWith('-')) {
    const option = args[index] ?? '';
    index += valueOption.test(option) ? 2 : 1;
    if (option === '--') break;
  }
  return args.slice(index);
}

function withoutAssignments(words: readonly string[]): CommandLine {
  const first = words.findIndex((word) => !assignment.test(word));
  return first === -1 ? [] : words.slice(first);
}

function commandsOf(script: string): readonly CommandLine[] {
  return script.split(/&&|\|\||[;|&\n]/).map((command) => withoutAssignments(wordsOf(command)));
}

function wordsOf(text: string): readonly string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}
