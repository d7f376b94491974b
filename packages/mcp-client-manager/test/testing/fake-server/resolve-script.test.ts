import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FakeServerScript, fakeServer } from '../../../src/testing.js';

const answering = (answer: unknown): object => ({ tools: [{ name: 'a', answers: [answer] }] });

test.each<[string, unknown, string]>([
  ['a key with a typing error', { tool: [] }, 'script has no "tool"; it may have era, tools,'],
  ['another era', { era: 'ancient' }, 'era must be one of "legacy", "modern", "both", got "ancient"'],
  ['a tool without a name', { tools: [{}] }, 'tools[0].name must be a string, got undefined'],
  ['no start at all', { starts: [] }, 'starts must be a list with at least one step, got []'],
  ['an unknown start', { starts: ['works', 'sings'] }, 'starts[1] must be one of "works", "hangs", got "sings"'],
  ['an empty start', { starts: [{}] }, 'starts[0] must be one of exit, handshakeDelayMs and refusal, got {}'],
  ['an exit code', { starts: [{ exit: 256 }] }, 'starts[0].exit must be a whole number from 0 to 255, got 256'],
  [
    'no answer at all',
    { tools: [{ name: 'a', answers: [] }] },
    'tools[0].answers must be a list with at least one step',
  ],
  ['an unknown answer', answering('shrug'), 'tools[0].answers[0] must be one of "echo", "hang", "close-output"'],
  ['two answers in one', answering({ text: 'a', sizeBytes: 1 }), 'has text and sizeBytes; one call has one answer'],
  ['an unknown signal', answering({ exit: 'SIGHUP' }), 'tools[0].answers[0].exit must be one of "SIGKILL"'],
  ['a size', answering({ sizeBytes: 1e9 }), 'tools[0].answers[0].sizeBytes must be a whole number from 0 to 268435456'],
  ['an error', answering({ error: { code: 0.5, message: '' } }), 'tools[0].answers[0].error must be an integer as'],
  ['a tool to come', answering({ adds: [{ nam: 'b' }] }), 'tools[0].answers[0].adds[0] has no "nam"'],
  ['an empty page', { pages: { size: 0 } }, 'pages.size must be a whole number from 1 to 2147483647, got 0'],
  ['an unknown cursor', { pages: { size: 1, cursor: 'x' } }, 'pages.cursor must be one of "plain", "repeated"'],
  ['unknown noise', { noise: { stdout: 'music' } }, 'noise.stdout must be one of "junk", got "music"'],
  ['what is ignored', { ignores: ['SIGKILL'] }, 'ignores must be one of "stdin-end", "SIGTERM", got "SIGKILL"'],
  ['no object', 7, 'script must be an object, got 7'],
  ['a list', [], 'script must be an object, got []'],
  ['a function', () => undefined, 'script must be an object, got null'],
  ['tools that are no list', { tools: {} }, 'tools must be a list, got {}'],
  ['a tool that is none', { tools: [[]] }, 'tools[0] must be an object, got []'],
  ['a description', { tools: [{ name: 'a', description: 7 }] }, 'tools[0].description must be a string, got 7'],
  ['a schema', { tools: [{ name: 'a', inputSchema: true }] }, 'tools[0].inputSchema must be an object, got true'],
  ['answers that are no list', { tools: [{ name: 'a', answers: null }] }, 'tools[0].answers must be a list, got null'],
  ['starts that are no list', { starts: {} }, 'starts must be a list, got {}'],
  ['last words', { starts: [{ exit: 1, stderr: 7 }] }, 'starts[0].stderr must be a string, got 7'],
  [
    'last words of the living',
    { starts: [{ handshakeDelayMs: 1, stderr: '' }] },
    'starts[0] has stderr without exit; only a start that exits writes stderr',
  ],
  ['an answer that is none', answering(null), 'tools[0].answers[0] must be an object, got null'],
  ['a text', answering({ text: 7 }), 'tools[0].answers[0].text must be a string, got 7'],
  ['a result', answering({ result: [] }), 'tools[0].answers[0].result must be an object, got []'],
  ['an error that is none', answering({ error: 0 }), 'tools[0].answers[0].error must be an object, got 0'],
  ['too much progress', answering({ progress: 1e6 }), 'progress must be a whole number from 0 to 10000, got 1000000'],
  ['additions', answering({ adds: 'b' }), 'tools[0].answers[0].adds must be a list, got "b"'],
  ['removals', answering({ removes: [7] }), 'tools[0].answers[0].removes[0] must be a string, got 7'],
  ['pages that are none', { pages: false }, 'pages must be an object, got false'],
  ['a failing page', { pages: { size: 1, failing: 0 } }, 'pages.failing must be an object, got 0'],
  ['page 0', { pages: { size: 1, failing: { page: 0 } } }, 'pages.failing.page must be a whole number from 1 to'],
  ['noise that is none', { noise: null }, 'noise must be an object, got null'],
  ['what is ignored and no list', { ignores: false }, 'ignores must be a list, got false'],
  ['no grandchild', { grandchild: false }, 'grandchild must be one of "plain", "stubborn", got false'],
])('%s is refused by name', (_, script, message) => {
  expect(() => fakeServer(script as FakeServerScript)).toThrow(message);
  expect(() => fakeServer(script as FakeServerScript)).toThrow(TypeError);
});

test.each<[FakeServerScript, string]>([
  [{ noise: { stdout: 'junk' } }, 'noise'],
  [{ ignores: ['SIGTERM'] }, 'ignores'],
  [{ grandchild: 'plain' }, 'grandchild'],
  [{ tools: [{ name: 'a', answers: ['close-output'] }] }, 'the answer "close-output"'],
  [
    { tools: [{ name: 'a', answers: [{ adds: [{ name: 'b', answers: ['close-output'] }] }] }] },
    'the answer "close-output"',
  ],
])('what only a process can do is played over stdio alone: %j', async (script, what) => {
  await using fake = fakeServer(script);
  expect(() => fake.inProcess()).toThrow(`has ${what}, which cannot be played in-process. Use stdio().`);
  await expect(fake.http()).rejects.toThrow(`has ${what}, which cannot be played over HTTP. Use stdio().`);
});

test('sessions are forgotten only over HTTP', async () => {
  await using fake = fakeServer({ tools: [{ name: 'a', answers: ['forget-session'] }] });
  expect(() => fake.stdio()).toThrow('cannot be played over stdio. Use http().');
  expect(() => fake.inProcess()).toThrow('cannot be played in-process. Use http().');
});

test('accepts any script or throws a TypeError', () => {
  const keys = ['era', 'tools', 'starts', 'pages', 'noise', 'ignores', 'grandchild'];
  const script = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue());
  // Nearly right, so that the checks inside are reached, too.
  const inside = fc.constantFrom('exit', 'stderr', 'text', 'result', 'error', 'progress', 'adds', 'removes', 'refusal');
  const steps = fc.array(fc.dictionary(inside, fc.jsonValue(), { maxKeys: 2 }), { maxLength: 2 });
  const nearly = fc.record(
    { tools: fc.tuple(fc.record({ name: fc.string(), answers: steps })), starts: steps },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(script, nearly, fc.jsonValue()), (any) => {
      try {
        fakeServer(any as FakeServerScript);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        expect((error as Error).message).toMatch(/must be|has /);
      }
    }),
    { numRuns: 1_000 },
  );
});
