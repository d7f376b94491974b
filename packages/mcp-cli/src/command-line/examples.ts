import { platform as systemPlatform } from 'node:os';
import type { Command } from 'commander';

/** Shell lines by the words of their command, without `mcpx`. A test parses each. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  init: ['init', 'init --from cursor'],
  validate: ['validate', 'validate --config ./config'],
  sync: ['sync cursor', 'sync --dry-run', 'sync --gateway --yes'],
  import: ['import', 'import claude-code'],
  login: ['login docs', 'login docs --no-browser'],
  logout: ['logout docs'],
  add: [
    'add files -- npx -y @modelcontextprotocol/server-filesystem .',
    'add github --env GITHUB_TOKEN -- docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server',
    `add docs https://example.com/mcp --header 'Authorization: Bearer \${DOCS_TOKEN}'`,
    'add io.github.owner/server@1.2.3',
    'add weather ./server.json --input units=metric',
    'add ./files.mcpb',
    'add github --from cursor',
  ],
  remove: ['remove files'],
  enable: ['enable files'],
  disable: ['disable files', 'disable files --dry-run'],
  edit: ['edit', 'edit files'],
  'config undo': ['config undo', 'config undo --list'],
  list: ['list', 'list --from cursor'],
  status: ['status', 'status files --watch'],
  up: ['up', 'up files', 'up --idle-exit 30'],
  down: ['down', 'down --now'],
  start: ['start files'],
  stop: ['stop files', 'stop files --force'],
  restart: ['restart', 'restart files'],
  health: ['health', 'health files'],
  capabilities: ['capabilities files'],
  logs: ['logs files --follow', 'logs --events'],
  requirements: ['requirements', 'requirements --strict'],
  discover: ['discover files', 'discover', 'discover files --refresh'],
  search: ['search read a text file', "search --regex '^(create|delete)_'", "search '*' --limit 100"],
  describe: ['describe files.read_text_file'],
  types: ['types', 'types --role review'],
  call: [
    'call files.read_text_file path=README.md',
    'call files.read_text_file --path README.md --timeout 5',
    "call 'everything.get-sum(a: 2, b: 3)'",
    "call 'npx -y @modelcontextprotocol/server-everything' get-sum a=2 b=3",
    `call https://example.com/mcp search query=rain --header 'Authorization: Bearer \${TOKEN}'`,
  ],
  inspect: [
    "inspect 'npx -y @modelcontextprotocol/server-everything'",
    `inspect https://example.com/mcp --header 'Authorization: Bearer \${TOKEN}'`,
  ],
  context: ['context', 'context --role review --turns 20'],
  'resources list': ['resources', 'resources docs'],
  'resources read': ['resources read file:///notes.txt --server docs'],
  'prompts list': ['prompts', 'prompts docs'],
  'prompts get': ['prompts get docs.summary topic=rain'],
  'trust add': ['trust', 'trust add --config ./config'],
  'trust list': ['trust list'],
  'trust remove': ['trust remove ./project'],
  'roles list': ['roles'],
  'roles explain': ['roles explain review files.write_file'],
  'approvals list': ['approvals'],
  'approvals watch': ['approvals watch'],
  'approvals approve': ['approvals approve 3f9c'],
  'approvals deny': ['approvals deny 3f9c'],
  calls: ['calls', 'calls --json'],
  'pins list': ['pins'],
  'pins diff': ['pins diff files.read_text_file'],
  'pins approve': ['pins approve files.read_text_file'],
  'pins revoke': ['pins revoke files.read_text_file'],
  'pins mode': ['pins mode approve files'],
  serve: ['serve', 'serve files docs --role review', 'serve --http --port 8080 --token-file ./token'],
  record: [
    'record session.jsonl files',
    'record session.jsonl https://example.com/mcp',
    'record session.jsonl -- npx -y @modelcontextprotocol/server-everything',
  ],
  replay: ['replay session.jsonl'],
  'daemon status': ['daemon status'],
  'daemon reload': ['daemon reload'],
  'daemon logs': ['daemon logs'],
  'daemon install': ['daemon install'],
  'fleet leave': ['fleet leave'],
  'fleet status': ['fleet status'],
  'fleet permissions': ['fleet permissions --node build-1'],
  'fleet forget': ['fleet forget build-1'],
  'fleet join': ['fleet join nats://nats.example.com:4222 --node build-1'],
  doctor: ['doctor'],
  completion: [
    'completion bash >> ~/.bashrc',
    'completion zsh >> ~/.zshrc',
    'completion pwsh | Out-String | Invoke-Expression',
  ],
  dashboard: ['dashboard'],
};

/**
 * A line as the user of a system types it. PowerShell removes a bare `--` from the words of npm's scripts, and passes a quoted one, as
 * `cmd.exe` does.
 */
export function typedLine(line: string, platform: string = systemPlatform()): string {
  return platform === 'win32' ? line.replace(' -- ', ' "--" ') : line;
}

/** Adds them to the help of all commands below. A group has the first of each of its commands. */
export function addExamples(parent: Command, before = ''): void {
  for (const command of parent.commands) {
    const words = `${before}${command.name()}`;
    addExamples(command, `${words} `);
    const lines = examples[words] ?? command.commands.flatMap((each) => examples[`${words} ${each.name()}`]?.[0] ?? []);
    if (lines.length === 0) continue;
    const heading = lines.length === 1 ? 'Example:' : 'Examples:';
    command.addHelpText('after', `\n${heading}\n${lines.map((line) => `  $ mcpx ${typedLine(line)}`).join('\n')}`);
  }
}
