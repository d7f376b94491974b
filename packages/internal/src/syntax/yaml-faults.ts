import type { ErrorCode } from 'yaml';

export interface YamlFault {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** The message of a library error, without words of the text: `*hunter2` is an alias in YAML, but may be a password. */
export function yamlFault({ code, message }: { readonly code: ErrorCode; readonly message: string }): YamlFault {
  if (code === 'UNEXPECTED_TOKEN') return { message: withoutQuote(message) };
  return ownWords[code] ?? { message };
}

/** Quotes of the text follow a colon at the end. */
function withoutQuote(message: string): string {
  return message.replace(/: .*$/s, '');
}

/** For messages that quote the text, or require knowledge of the standard. */
const ownWords: Readonly<Partial<Record<ErrorCode, YamlFault>>> = {
  TAB_AS_INDENT: { message: 'Tabs are not allowed as indentation', hint: 'indent with spaces' },
  TAG_RESOLVE_FAILED: {
    message: 'This tag is not known, or does not fit its value',
    hint: 'put a value that begins with "!" in quotes: in YAML it is a tag',
  },
  BAD_DQ_ESCAPE: {
    message: 'This character cannot follow a backslash',
    hint: 'in double quotes write "\\\\" for one backslash, or use single quotes',
  },
  BAD_DIRECTIVE: { message: 'This directive is not known', hint: 'remove the line that begins with "%"' },
  RESOURCE_EXHAUSTION: { message: 'The text is nested too deeply to be read' },
};

export const unknownAlias = {
  message: 'This alias has no anchor before it',
  hint: 'put a value that begins with "*" in quotes: in YAML it is an alias',
} as const satisfies YamlFault;
