// Host programs that the npm registry has: how to install them, to make them start their servers, and to add an entry with
// their own command. A program is one of:
//   starts     it starts the servers of its file without an account
//   lists      it shows the entries as it reads them, and starts none without an account
//   edits      it only changes its file without an account
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const platform = `${process.platform}-${process.arch}`;

/**
 * @typedef {object} Program
 * @property {string} family - As in the adapters.
 * @property {string} name - With its version it says what was run.
 * @property {string[]} packages - Those with the program; the first has its version.
 * @property {string} pinned - Version.
 * @property {string[]} file - Path of the program below node_modules.
 * @property {string[]} hosts - Ids of its files that it reads here.
 * @property {'starts' | 'lists' | 'edits'} proves
 * @property {string[]} run - Words of the command that starts or lists the servers.
 * @property {number} [staysFor] - Milliseconds after which a program that does not end is stopped.
 * @property {(entry: { name: string, words: string[] }) => string[]} [add] - Words of the command that adds an entry for
 * the user.
 * @property {string[]} [approve] - Words of the command that approves the servers of a project.
 * @property {true} [fillsOnRewrite] - Its own commands write the values of variables into the file, in place of references.
 * @property {(place: { home: string, project: string, web: string }) => Promise<object | void>} [prepare] - Writes what
 * the program needs, and returns more environment variables.
 */

/** @type {Program[]} */
export const programs = [
  {
    family: 'claude-code',
    name: 'Claude Code',
    packages: ['@anthropic-ai/claude-code', `@anthropic-ai/claude-code-${platform}`],
    pinned: '2.1.197',
    file: ['@anthropic-ai', `claude-code-${platform}`, 'claude'],
    hosts: ['claude-code-user', 'claude-code-project', 'claude-code-local'],
    proves: 'starts',
    run: ['mcp', 'list'],
    add: ({ name, words }) => ['mcp', 'add', '-s', 'user', name, '--', ...words],
    prepare: async ({ home, project }) => {
      await write(join(home, '.claude.json'), { projects: { [project]: { hasTrustDialogAccepted: true } } });
      await write(join(project, '.claude/settings.local.json'), { enableAllProjectMcpServers: true });
    },
  },
  {
    family: 'codex',
    name: 'Codex',
    packages: ['@openai/codex'],
    pinned: '0.169.0',
    file: ['.bin', 'codex'],
    hosts: ['codex-user', 'codex-project'],
    proves: 'lists',
    run: ['mcp', 'list', '--json'],
    add: ({ name, words }) => ['mcp', 'add', name, '--', ...words],
    prepare: ({ home, project }) =>
      write(join(home, '.codex/config.toml'), `[projects.${JSON.stringify(project)}]\ntrust_level = "trusted"\n`),
  },
  {
    family: 'gemini-cli',
    name: 'Gemini CLI',
    packages: ['@google/gemini-cli'],
    pinned: '0.61.0',
    file: ['.bin', 'gemini'],
    hosts: ['gemini-cli-user', 'gemini-cli-project'],
    proves: 'starts',
    run: ['mcp', 'list'],
    add: ({ name, words: [command, ...args] }) => ['mcp', 'add', '-s', 'user', name, command, ...args],
    fillsOnRewrite: true,
    prepare: ({ home, project }) =>
      write(join(home, '.gemini/trustedFolders.json'), { [project]: 'TRUST_FOLDER', [home]: 'TRUST_FOLDER' }),
  },
  {
    family: 'qwen-code',
    name: 'Qwen Code',
    packages: ['@qwen-code/qwen-code'],
    pinned: '0.15.10',
    file: ['.bin', 'qwen'],
    hosts: ['qwen-code-user', 'qwen-code-project'],
    proves: 'starts',
    run: ['mcp', 'list'],
    add: ({ name, words: [command, ...args] }) => ['mcp', 'add', '-s', 'user', name, command, ...args],
    fillsOnRewrite: true,
    approve: ['mcp', 'approve', '--all'],
  },
  {
    family: 'opencode',
    name: 'OpenCode',
    packages: ['opencode-ai', `opencode-${platform}`],
    pinned: '1.18.33',
    file: [`opencode-${platform}`, 'bin', 'opencode'],
    hosts: ['opencode-user', 'opencode-project'],
    proves: 'starts',
    run: ['mcp', 'list'],
  },
  {
    family: 'kilo',
    name: 'Kilo Code',
    packages: [`@kilocode/cli-${platform}`],
    pinned: '7.7.9',
    file: ['@kilocode', `cli-${platform}`, 'bin', 'kilo'],
    hosts: ['kilo-user', 'kilo-project'],
    proves: 'starts',
    run: ['mcp', 'list'],
  },
  {
    family: 'amp',
    name: 'Amp',
    // The package with the binary: npm may have a newer one of the other, without it.
    packages: [`@ampcode/cli-${platform}`],
    pinned: '0.0.1790142911-g7618fb',
    file: ['@ampcode', `cli-${platform}`, 'amp'],
    hosts: ['amp-user'],
    proves: 'lists',
    run: ['mcp', 'list', '--json'],
    add: ({ name, words }) => ['mcp', 'add', name, '--', ...words],
  },
  {
    family: 'copilot-cli',
    name: 'GitHub Copilot CLI',
    packages: ['@github/copilot'],
    pinned: '1.0.102',
    file: ['.bin', 'copilot'],
    hosts: ['copilot-cli-user', 'copilot-cli-project'],
    proves: 'lists',
    run: ['mcp', 'list', '--json'],
    add: ({ name, words }) => ['mcp', 'add', name, '--', ...words],
    prepare: ({ home, project }) => write(join(home, '.copilot/config.json'), { trusted_folders: [project] }),
  },
  {
    family: 'cline',
    name: 'Cline',
    packages: ['cline'],
    pinned: '3.0.65',
    file: ['.bin', 'cline'],
    hosts: ['cline-user'],
    proves: 'edits',
    run: ['version'],
    add: ({ name, words }) => ['mcp', 'install', name, '--yes', '--', ...words],
  },
  {
    family: 'continue',
    name: 'Continue (cn)',
    packages: ['@continuedev/cli'],
    pinned: '1.5.47',
    file: ['.bin', 'cn'],
    hosts: ['continue-user'],
    proves: 'starts',
    run: ['-p', 'hello'],
    staysFor: 120_000,
    prepare: async ({ home, web }) => {
      const model = `models:\n  - { name: m, provider: openai, model: m, apiKey: none, apiBase: ${web}/none }\n`;
      await write(join(home, '.continue/config.yaml'), `name: check\nversion: 1.0.0\nschema: v1\n${model}`);
      await write(join(home, '.continue/.env'), `P_FROM_ENV=v1\n`);
    },
  },
  {
    family: 'augment-cli',
    name: 'Auggie',
    packages: ['@augmentcode/auggie'],
    pinned: '0.36.0',
    file: ['.bin', 'auggie'],
    hosts: ['augment-cli-user'],
    proves: 'starts',
    run: ['--print', 'hello'],
    staysFor: 120_000,
    add: ({ name, words: [command, ...args] }) => ['mcp', 'add', name, '--command', command, '--args', args.join(' ')],
    prepare: async ({ web }) => ({
      AUGMENT_SESSION_AUTH: JSON.stringify({
        accessToken: 'none',
        tenantURL: `${web}/none/`,
        scopes: ['read', 'write'],
      }),
    }),
  },
  {
    family: 'mcporter',
    name: 'MCPorter',
    packages: ['mcporter'],
    pinned: '0.12.3',
    file: ['.bin', 'mcporter'],
    hosts: ['mcporter-user', 'mcporter-project'],
    proves: 'starts',
    run: ['list', '--json'],
    add: ({ name, words: [command, ...args] }) => [
      ...['config', 'add', name, '--scope', 'home', '--command', command],
      ...args.flatMap((argument) => ['--arg', argument]),
    ],
  },
  {
    family: 'mcp-hub',
    name: 'mcp-hub',
    packages: ['mcp-hub'],
    pinned: '4.2.1',
    file: ['.bin', 'mcp-hub'],
    hosts: ['mcp-hub'],
    proves: 'starts',
    run: ['--port', '{port}', '--config', '{home}/.config/mcphub/servers.json'],
    staysFor: 120_000,
  },
  {
    family: 'factory',
    name: 'Factory droid',
    packages: ['droid', `@factory/cli-${platform}`],
    pinned: '0.215.0',
    file: ['@factory', `cli-${platform}`, 'bin', 'droid'],
    hosts: ['factory-user', 'factory-project'],
    proves: 'starts',
    run: ['mcp', 'list'],
    add: ({ name, words: [command, ...args] }) => ['mcp', 'add', name, command, ...args],
  },
  {
    family: 'kimi-code',
    name: 'Kimi Code',
    packages: ['@moonshot-ai/kimi-code'],
    pinned: '2.1.0',
    file: ['.bin', 'kimi'],
    hosts: ['kimi-code-user'],
    proves: 'starts',
    run: ['-p', 'hello'],
    staysFor: 120_000,
    prepare: ({ home, web }) => {
      const provider = `[providers.local]\ntype = "openai"\nbase_url = "${web}/none"\napi_key = "none"\n`;
      const model = '[models.m]\nprovider = "local"\nmodel = "m"\nmax_context_size = 100000\n';
      return write(join(home, '.kimi-code/config.toml'), `default_model = "m"\n\n${provider}\n${model}`);
    },
  },
];

async function write(path, content) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
}
