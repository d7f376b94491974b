// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { project } from '../helpers/project.js';
import { inTerminal } from '../helpers/pseudo-terminal.js';
import { zipFile } from '../helpers/zip-file.js';

afterEach(expectNoLeaks);

const enter = '\r';
const left = '\u001b[D';
const down = '\u001b[B';

type Steps = readonly (readonly [seen: string, keys: string])[];

/** A command of a user who trusts nothing, in a terminal, with an answer to each question. */
async function ran(folder: string, argv: readonly string[], steps: Steps = [], env: Record<string, string> = {}) {
  await using terminal = await inTerminal(folder, argv, { trust: '', env });
  let after = 0;
  for (const [seen, keys] of steps) {
    await terminal.seen(seen, { after });
    after = terminal.text().length;
    terminal.press(keys);
  }
  const { exitCode, text } = await terminal.ended();
  return { exitCode, text: stripVTControlCharacters(text).replaceAll('\r', '') };
}

describe.runIf(process.platform === 'linux')('mcpx add in a terminal', () => {
  const { args } = testServer('echo');
  const command = 'node';
  const question = 'Do you give consent to run this?';
  const call = ['call', 'foreign.echo', 'text=hello'];

  async function withBundle() {
    const mcp_config = { command, args };
    const manifest = { name: 'foreign', server: { type: 'node', mcp_config } };
    const here = await project({});
    const content = zipFile([{ name: 'manifest.json', content: JSON.stringify(manifest) }]);
    await writeFile(join(here.folder, 'foreign.mcpb'), content);
    return here;
  }

  test('a server that another author describes starts once the user has seen it and agreed', async () => {
    await using here = await withBundle();
    const { exitCode, text } = await ran(here.folder, ['add', 'foreign.mcpb'], [[question, `${left}${enter}`]]);
    expect(exitCode).toBe(exitCodes.ok);
    expect(text).toContain(`runs     ${command} ${args.join(' ')}`.slice(0, 60));
    expect(text).toContain('✓ Wrote mcp_servers.yaml with foreign.\n');
    expect(text).toContain('Next: "mcpx discover foreign" starts it and lists its tools.');
    expect(await ran(here.folder, call)).toMatchObject({
      exitCode: exitCodes.ok,
      text: expect.stringMatching(/^hello$/m),
    });
  });

  test('without consent it is written and held back until "mcpx trust"', async () => {
    await using here = await withBundle();
    const added = await ran(here.folder, ['add', 'foreign.mcpb'], [[question, enter]]); // no is the default
    expect(added.exitCode).toBe(exitCodes.ok);
    expect(added.text).toContain('"mcpx trust" gives it your consent; until then it does not start.');
    expect((await ran(here.folder, ['status'])).text).toContain('These servers need your consent: foreign.');
    const refused = await ran(here.folder, call, [[question, enter]]);
    expect(refused.exitCode).toBe(exitCodes.config);
    expect((await ran(here.folder, ['trust'], [[question, `${left}${enter}`]])).text).toContain(
      '✓ foreign may start\n',
    );
    expect(await ran(here.folder, call)).toMatchObject({
      exitCode: exitCodes.ok,
      text: expect.stringMatching(/^hello$/m),
    });
  });

  test("into the user's own config it is written only with consent", async () => {
    await using here = await withBundle();
    const words = ['add', 'foreign.mcpb', '--global'];
    const refused = await ran(here.folder, words, [[question, enter]]);
    expect(refused.exitCode).toBe(exitCodes.config);
    expect(refused.text).toContain('Nothing was written.');
    expect((await ran(here.folder, words, [[question, `${left}${enter}`]])).exitCode).toBe(exitCodes.ok);
    expect(await ran(here.folder, call)).toMatchObject({ exitCode: exitCodes.ok });
  });

  test('an entry that the user typed is not asked for again', async () => {
    await using here = await project({});
    expect(await ran(here.folder, ['add', 'foreign', '--', command, ...args])).toMatchObject({
      exitCode: exitCodes.ok,
    });
    expect(await ran(here.folder, call)).toMatchObject({ exitCode: exitCodes.ok });
  });
});

describe.runIf(process.platform === 'linux')('mcpx edit in a terminal', () => {
  const text = 'mcp_servers:\n  a: { command: a-mcp }\n';
  const script = `
const { readFileSync, writeFileSync } = require('node:fs');
const file = process.argv.at(-1);
process.stdin.setRawMode(true);
process.stdout.write('replace a-mcp by: ');
process.stdin.once('data', (typed) => {
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(command|comand): \\S+/, String(typed).trim()));
  process.exit();
});
`;
  const asked = 'replace a-mcp by: ';

  async function withEditor() {
    const here = await project({ 'mcp_servers.yaml': text, 'editor.cjs': script });
    const EDITOR = `'${process.execPath}' '${join(here.folder, 'editor.cjs')}'`;
    return { ...here, edit: (steps: Steps) => ran(here.folder, ['edit', 'a'], steps, { EDITOR }) };
  }

  test('the editor has the terminal, and an invalid text can be edited again', async () => {
    await using here = await withEditor();
    const { exitCode, text: shown } = await here.edit([
      [asked, 'comand: b-mcp\n'],
      ['What do you want to do?', enter],
      [asked, 'command: c-mcp\n'],
    ]);
    expect(shown).toContain('mcp_servers.yaml:2:8 error unknown-key');
    expect(shown).toContain('✓ Changed mcp_servers.yaml.');
    expect(exitCode).toBe(exitCodes.ok);
    expect(await readFile(join(here.folder, 'mcp_servers.yaml'), 'utf8')).toBe(text.replace('a-mcp', 'c-mcp'));
  });

  test('an invalid text can be discarded', async () => {
    await using here = await withEditor();
    const { exitCode, text: shown } = await here.edit([
      [asked, 'comand: b-mcp\n'],
      ['What do you want to do?', `${down}${enter}`],
    ]);
    expect(shown).toContain('Discarded. Nothing was written.');
    expect(exitCode).toBe(exitCodes.config);
    expect(await readFile(join(here.folder, 'mcp_servers.yaml'), 'utf8')).toBe(text);
  });
});
