/** An option whose value is a secret: `--api-key`, `--github-token`, `-password`. */
const secretOption =
  /^-{1,2}[\w-]*(key|token|secret|pass|passwd|password|passphrase|pwd|auth|bearer|credentials?|cookie|dsn)$/i;
/** An option whose value may contain a secret: `-e NAME=value`, `--header 'Name: value'`. */
const pairOption = /^-{1,2}([eH]|[\w-]*(env|header))$/i;
const pair = /^\s*([A-Za-z_][\w.-]*)\s*[=:]/;
const variable = /^([A-Z_][A-Z\d_]*)=/;

/** Packages, folders, flags and names remain, and still distinguish servers. */
export function withoutSecrets(args: readonly string[]): readonly string[] {
  return args.map((argument, index) => {
    const previous = args[index - 1] ?? '';
    return takesValue(previous) && !argument.startsWith('-') ? publicPart(previous, argument) : withoutSecret(argument);
  });
}

export function withoutSecretsOfUrl(text: string): string {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text)) return text;
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}

function withoutSecret(argument: string): string {
  const name = variable.exec(argument)?.[1];
  if (name !== undefined) return name;
  const end = argument.indexOf('=');
  if (end === -1 || !argument.startsWith('-')) return withoutSecretsOfUrl(argument);
  const option = argument.slice(0, end);
  return `${option}=${publicPart(option, argument.slice(end + 1))}`;
}

function takesValue(argument: string): boolean {
  return secretOption.test(argument) || pairOption.test(argument);
}

function publicPart(option: string, value: string): string {
  if (secretOption.test(option)) return '';
  return pairOption.test(option) ? (pair.exec(value)?.[1] ?? value) : withoutSecretsOfUrl(value);
}
