import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandOf, programOf } from '../../dashboard/src/tool/argument-texts.js';
import { readCall } from '../../src/call-words/read-call.js';
import { typedArguments } from '../../src/call-words/typed-arguments.js';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    either: { type: ['string', 'number'] },
    list: { type: 'array', items: { type: 'string' } },
    deep: { type: 'object' },
    flag: { type: 'boolean' },
  },
};

/** What a shell makes of a command line, and the command of that. */
async function argumentsOf(line: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `printf '%s\\0' ${line.replace(/^mcpx call /, '')}`]);
  const [tool = '', ...words] = stdout.split('\0').slice(0, -1);
  const call = await readCall(tool, words, { stdin: Readable.from([]) as never });
  return call.arguments.kind === 'object' ? call.arguments.value : typedArguments(call.arguments.words, schema);
}

describe('the command line of a call', () => {
  test.each([
    [{}, 'mcpx call mcp__echo__echo'],
    [{ text: 'hello' }, 'mcpx call mcp__echo__echo text=hello'],
    [{ text: "it's", count: 3 }, "mcpx call mcp__echo__echo 'text=it'\\''s' count:=3"],
    [{ 'a b': 1 }, `mcpx call mcp__echo__echo '{"a b":1}'`],
    [{ text: '\u202egnp\u001b[2J' }, `mcpx call mcp__echo__echo '{"text":"\\u202egnp\\u001b[2J"}'`],
  ])('of %j is %s', (args, line) => {
    expect(commandOf({ tool: 'mcp__echo__echo', args }, schema)).toBe(line);
  });

  test('has the role before the tool', () => {
    expect(commandOf({ tool: 'echo', args: {}, role: 'a b' }, schema)).toBe("mcpx call --role 'a b' echo");
  });

  test('makes the same call', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('5', 'true', '[1]', '{', '-', '--x', "'", '$(id)', '`id`', '\\', '\n'),
    );
    const args = fc.record(
      {
        text,
        count: fc.integer(),
        either: fc.oneof(text, fc.integer()),
        list: fc.array(text),
        deep: fc.dictionary(text, fc.oneof(text, fc.integer())),
        flag: fc.boolean(),
        '--odd key': text,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(args, async (given) => {
        const wanted = JSON.parse(JSON.stringify(given));
        expect(await argumentsOf(commandOf({ tool: 'mcp__echo__echo', args: given }, schema))).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });
});

test('the program of a call has its role, its arguments and the files of the daemon', () => {
  const text = programOf({ tool: 'mcp__echo__echo', args: { text: '\u202e`$(id)`' }, role: 'review' }, [
    '/a/servers.yaml',
  ]);
  expect(text).toContain('openTools({ config: ["/a/servers.yaml"] })');
  expect(text).toContain('tools.as("review").call("mcp__echo__echo", {"text":"\\u202e`$(id)`"});');
});
