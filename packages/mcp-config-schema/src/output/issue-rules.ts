import type { ConfigIssueCode } from '../issues.js';

/** What each code means, in one line. */
export const issueRules: Readonly<Record<ConfigIssueCode, string>> = {
  syntax: 'The text is not YAML, JSON or TOML',
  'empty-file': 'The text holds nothing',
  'unrecognised-file': 'The text is no kind of file that is known',
  'mixed-file': 'Two kinds of file are written into one text',
  'too-large': 'The text is larger than any configuration needs to be',
  'too-deep': 'Mappings and lists stand too deep inside one another',
  'too-many-servers': 'There are more servers than can be meant',
  'too-many-issues': 'There are more issues than are listed',
  'forbidden-key': 'A key that would change what an object is',
  'duplicate-key': 'A key, a setting or a tool stands twice',
  'duplicate-server': 'Two files of one layer define the same server',
  'replaced-server': "A server of a project replaces one of the user's with the same name",
  'unknown-key': 'A key that means nothing where it stands',
  'missing-key': 'Something that cannot be guessed is left out',
  'invalid-value': 'A value has the wrong type or is out of bounds',
  'command-and-url': 'A server is both started by a command and reached by a URL',
  'health-check-without-tool': 'A health check calls a tool without saying which',
  'ignored-key': 'A key has no effect beside the others of its entry',
  'unset-variable': 'A variable that a text refers to is not set',
  'unknown-template': 'A template that stands for nothing known',
  'prompted-value': 'A value that only the host app can ask its user for',
  'lost-backslash': 'A command loses backslashes when it is split into words',
  'unsplit-command': 'A command with arguments is taken for the name of a program',
  'unresolved-secret': 'A reference to a secret that nothing resolves',
  'no-virtual-environment': 'A Python command without a virtual environment to run it in',
  'outside-extension': 'A path of an extension leads out of its folder',
  'missing-file': 'A file that is referred to is not there',
  'unknown-server': 'A tool or a role names a server that is not configured',
  'missing-required-server': 'A tool cannot do without a server that is not configured',
  'conflicting-tiers': 'A tool asks for one server in two strengths',
  'colliding-names': 'Tools of two servers get the same beginning of their names',
  'package-mismatch': 'The package is not the one that the command starts',
  'own-gateway': 'A server is the gateway that would serve it',
  'ambiguous-rule': 'A rule of a role fits several servers',
  'rule-matches-nothing': 'A rule of a role matches no tool that its server lists',
  'dead-rule': 'A rule changes nothing, because another one decides before it',
  'misplaced-star': 'A "*" stands where a rule takes none, so that it allows nothing',
  'unknown-role': 'A role inherits one that no file has',
  'circular-roles': 'A role inherits itself, by way of others or at once',
  'second-default': 'Two roles are said to be the default',
  'foreign-tool': 'A server is asked for a tool of another one',
  'inline-secret': 'A secret is written into a file',
  'readable-secret': 'A file with a secret can be read by others',
  'untrusted-file': 'A file may have been planted by somebody else',
};

/** The page about a code. */
export function pageOf(code: ConfigIssueCode): string {
  return `https://github.com/x/mcp-plumbing/blob/main/docs/errors/${code}.md`;
}
