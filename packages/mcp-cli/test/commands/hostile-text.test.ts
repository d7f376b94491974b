import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { daemonStage } from '../helpers/daemon-stage.js';
import type { Outcome } from '../helpers/run-mcpx.js';
import { hostileServer, obeyed, onStage } from '../helpers/stage-commands.js';

afterEach(expectNoLeaks);

const secret = 'sentinel-6f1d2c9b';
const attack = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\u200b\r\u0008!';

/** What a person might type, once as it is and once with --json. */
const commands: readonly (readonly string[])[] = [
  ['discover', 'bad', '--refresh', '--verbose'],
  ['discover', 'bad'],
  ['capabilities', 'bad'],
  ['search', 'plain'],
  ['search', '*'],
  ['describe', 'bad.plain'],
  ['call', 'bad.plain', 'word=x', '--output', 'out'],
  ['call', 'bad.fails', '--output', 'out'],
  ['call', `bad.${attack}`],
  ['resources', '--refresh'],
  ['resources', 'bad'],
  ['resources', 'read', `test://a${attack}`],
  ['prompts', 'bad'],
  ['prompts', 'get', 'bad', `greet${attack}`, 'who=x'],
  ['prompts', 'get', 'bad', 'greet', `who=${attack}`],
  ['logs', 'bad'],
  ['logs', attack],
  ['context'],
  ['roles'],
  ['roles', 'explain', attack, 'bad.plain'],
  ['pins'],
  ['pins', 'mode', 'approve'],
  ['pins'],
  ['pins', 'diff', 'bad.plain'],
  ['pins', 'approve', '--server', 'bad'],
  ['pins', 'mode', attack],
  ['requirements'],
  ['health'],
  ['status'],
];

test.each(['in this process', 'in a daemon'])(
  'no text of a server %s reaches the terminal as it is, and no secret is printed',
  async (where) => {
    const fields = { ...hostileServer, env: { API_TOKEN: '{{ env.API_TOKEN }}' } };
    await using stage = await daemonStage([{ name: 'bad', server: 'echo', fields }], { env: { API_TOKEN: secret } });
    if (where === 'in a daemon') check(await onStage(stage, ['up']), ['up']);
    for (const argv of commands) {
      check(await onStage(stage, argv), argv);
      if (argv[0] !== 'pins' || argv.length < 3) check(await onStage(stage, [...argv, '--json']), [...argv, '--json']);
    }
  },
  60_000,
);

function check({ stdout, stderr }: Outcome, argv: readonly string[]): void {
  expect(`${stdout}${stderr}`, argv.join(' ')).not.toMatch(obeyed);
  expect(`${stdout}${stderr}`, argv.join(' ')).not.toContain(secret);
  if (argv.includes('--json') && stdout !== '') for (const document of documents(argv, stdout)) JSON.parse(document);
}

function documents(argv: readonly string[], stdout: string): readonly string[] {
  return argv[0] === 'logs' ? stdout.trimEnd().split('\n') : [stdout];
}
