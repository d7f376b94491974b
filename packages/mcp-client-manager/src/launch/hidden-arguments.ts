/** An option whose value is a secret: `--api-key`, `--github-token`, `-password`. */
const secretOption =
  /^-{1,2}[\w-]*(key|token|secret|pass|passwd|password|passphrase|pwd|auth|bearer|credentials?|cookie|dsn)$/i;
/** An option whose value is a name and what may be a secret: `-e NAME=value`, `--header 'Name: value'`. */
const pairOption = /^-{1,2}([eH]|[\w-]*(env|header))$/i;
const pair = /^\s*([A-Za-z_][\w.-]*)\s*[=:]/;
/** A variable, as `env` and `docker run -e` take it. */
const variable = /^([A-Z_][A-Z\d_]*)=/;

/**
 * The arguments without the values that may be secrets. What is left still tells one server from another: the package,
 * the folders, the flags, and the names of what was left out.
 */
export function withoutSecrets(args: readonly string[]): readonly string[] {
  return args.map((argument, index) => {
    const previous = args[index - 1] ?? '';
    return takesValue(previous) && !argument.startsWith('-') ? harmless(previous, argument) : withoutSecret(argument);
  });
}

/** The URL without user, password, query and fragment; any other text as it is. */
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
  return `${option}=${harmless(option, argument.slice(end + 1))}`;
}

function takesValue(argument: string): boolean {
  return secretOption.test(argument) || pairOption.test(argument);
}

/** What may be known of an option's value. */
function harmless(option: string, value: string): string {
  if (secretOption.test(option)) return '';
  return pairOption.test(option) ? (pair.exec(value)?.[1] ?? value) : withoutSecretsOfUrl(value);
}
