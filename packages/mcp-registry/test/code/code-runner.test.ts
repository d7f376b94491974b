import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { withResolvers } from '@x/internal/async';
import type { CallToolOptions } from '@x/internal/contracts';
import type { Interceptor } from '@x/internal/views';
import { createListSource, textOf, textResult, tool } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { AuditEvent } from '../../src/audit.js';
import { openCodeRunner } from '../../src/code.js';
import { createConstantSurface, createRegistry, type RegistryView } from '../../src/index.js';
import { redactResults } from '../../src/interceptors/redact-results.js';
import { limitResults } from '../../src/interceptors/result-limits/limit-results.js';
import { spotlightResults } from '../../src/interceptors/spotlight-results.js';
import { openPrograms, type Programs } from './programs.js';

const built = new URL('../../dist/', import.meta.url);
let programs: Programs;

/** Runs a program of the host with the runner of a build, until its process ends by itself. */
async function runInNode(build: URL, program: string): Promise<string> {
  const text = `import { openCodeRunner } from ${JSON.stringify(new URL('code.js', build).href)};\n${program}`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', text], {
    env: { ...process.env, NODE_PATH: '' },
  });
  return stdout;
}

beforeAll(async () => {
  programs = await openPrograms({ maxCalls: 20, maxParallelCalls: 4, timeoutMs: 20_000 });
});
afterAll(async () => {
  await programs[Symbol.asyncDispose]();
});

describe('the surface', () => {
  test('offers programs only where they are turned on, to those who may use anything', () => {
    const { registry, code } = programs;
    const names = (surface: { list(): readonly { readonly name: string }[] }) => surface.list().map(({ name }) => name);
    expect(names(createConstantSurface(registry))).toEqual(['call_mcp_tool', 'search_mcp_tools']);
    const surface = createConstantSurface(registry, { code });
    expect(names(surface)).toEqual(['call_mcp_tool', 'execute_mcp_code', 'search_mcp_tools']);
    expect(surface.get('execute_mcp_code')).toBe(surface.list()[1]);
    const none = createConstantSurface(registry.view({ role: 'none' }), { code });
    expect([none.list(), none.get('execute_mcp_code')]).toEqual([[], undefined]);
  });

  test('has no such tool where it is off, and refuses it inside call_mcp_tool and programs', async () => {
    const { registry, code, run } = programs;
    const call = createConstantSurface(registry).call('execute_mcp_code', { code: 'return 1' });
    await expect(call).rejects.toMatchObject({ code: 'unknown-tool' });
    const none = createConstantSurface(registry.view({ role: 'none' }), { code });
    await expect(none.call('execute_mcp_code', { code: 'return 1' })).rejects.toMatchObject({ code: 'unknown-tool' });
    const args = { name: 'execute_mcp_code', arguments: { code: 'return 1' } };
    const nested = await createConstantSurface(registry, { code }).call('call_mcp_tool', args);
    expect(textOf(nested)).toContain('call that directly');
    const unoffered = await createConstantSurface(registry).call('call_mcp_tool', args);
    expect(textOf(unoffered)).toMatch(/^There is no tool named "execute_mcp_code"/);
    for (const name of ['execute_mcp_code', 'call_mcp_tool']) {
      expect(await run(`return await tools.${name}({ name: 'add' })`)).toBe(
        `Line 1: ToolError: A program does not call ${name}: call the tool itself, await tools["NAME"]({ … })`,
      );
    }
  });

  test.each<[object, string]>([
    [{}, 'needs "code"'],
    [{ code: '' }, 'needs "code"'],
    [{ code: 'return 1', timeout: 1 }, 'takes "code" only'],
    [{ code: ' '.repeat(100_001) }, 'has 100001 characters'],
  ])('reports a request such as %j', async (args, message) => {
    const { registry, code } = programs;
    const result = await createConstantSurface(registry, { code }).call('execute_mcp_code', { ...args });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(message);
  });
});

describe('a program', () => {
  test('returns values, texts and nothing', async () => {
    const { run } = programs;
    expect(await run('return { a: [1, null, "x"] }')).toBe('{"a":[1,null,"x"]}');
    expect(await run('return "a\\nb"')).toBe('a\nb');
    expect(await run('1 + 1')).toContain('use return');
  });

  test('gets structured results as values and others as text, and prints to a log', async () => {
    expect(
      await programs.run('console.log("got", await tools.text({}), [1]); return await tools.add({ a: 1, b: 2 })'),
    ).toBe('{"sum":3}\nLog:\ngot xxxxx [1]');
  });

  test('calls a tool with hyphens in its name as the description says', async () => {
    const registry = createRegistry();
    await registry.attach(createListSource('my-docs', [tool('read-page')])).ready;
    const [, way = ''] = /`(await .+?)\(\{ … \}\)`/.exec(programs.code.tool.description ?? '') ?? [];
    const program = `return ${way.replace('NAME', 'mcp__my-docs__read-page')}({})`;
    expect(await programs.runOn(registry, program)).toBe('my-docs ran read-page');
  });

  test('catches failures of every kind of call', async () => {
    const program = `const all = [];
for (const call of [() => tools.fail(), () => tools.nothing(), () => tools.add([])])
  try { await call() } catch (error) { all.push(error.name + ': ' + error.message.slice(0, 20)) }
return all`;
    expect(JSON.parse(await programs.run(program))).toEqual([
      'ToolError: the disk is full',
      'ToolError: There is no tool nam',
      expect.stringContaining('ToolError: '),
    ]);
  });

  test.each([
    ['\n\nnull.x', 'Line 3: TypeError: '],
    ['\nawait tools.fail()', 'Line 2: ToolError: the disk is full'],
    ['const f = () => {\n  throw new RangeError("far")\n}\nf()', 'Line 2: RangeError: far'],
    ['const a = 1;\nlet b = ;', 'Line 2: SyntaxError: '],
    ['throw "text"', 'text'],
  ])('names the line of an error: %j', async (program, message) => {
    const { registry, code } = programs;
    const result = await createConstantSurface(registry, { code }).call('execute_mcp_code', { code: program });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(new RegExp(`^${message}`));
  });

  test.each([
    ['returns', 'tools.wait(); return 1', '1'],
    ['throws', 'tools.wait(); throw "no"', 'no'],
  ])('learns of a call that it did not await when it %s', async (_, program, answer) => {
    const registry = createRegistry();
    registry.register({ name: 'wait', description: 'Waits' }, () => new Promise(() => undefined));
    expect(await programs.runOn(registry, program)).toBe(
      `${answer}\n(The program ended before 1 of its calls, which were cancelled: await them.)`,
    );
  });

  test.each([
    ['one line', 'console.log("x".repeat(150))', `${'x'.repeat(100)}… (150 characters, cut: log less)`],
    [
      'several lines',
      'for (const each of ["a", "b", "c", "d"]) console.log(each.repeat(59))',
      `${'a'.repeat(59)}\n${'b'.repeat(40)}… (239 characters, cut: log less)`,
    ],
    [
      'a line after a full log',
      'console.log("x".repeat(100)); console.log("y")',
      `${'x'.repeat(100)}… (102 characters, cut: log less)`,
    ],
    ['no line too many', 'console.log("x".repeat(98)); console.log("y")', `${'x'.repeat(98)}\ny`],
  ])('learns that its log was cut: %s', async (_, program, log) => {
    await using short = await openPrograms({ maxOutputCharacters: 100 });
    expect(await short.run(`${program}; return 1`)).toBe(`1\nLog:\n${log}`);
    expect(await short.run('return 2')).toBe('2');
  });

  test('makes at most so many calls', async () => {
    const program = `let made = 0;
try { for (;;) { await tools.add({ a: 1, b: 1 }); made++ } } catch (error) { return made + ' ' + error.message }`;
    expect(await programs.run(program)).toBe('20 The program has made 20 calls, which is its limit');
  });

  // The host parses arguments in its own thread and memory.
  test.each([
    ['let a = 1; for (let n = 0; n < 300; n++) a = [a]; await tools.echo({ a })', 'nest deeper than 200 levels'],
    [
      'const row = Array(1000).fill({}); for (let n = 0; n < 4; n++) await tools.echo({ a: Array(60).fill(row) })',
      'have too many values',
    ],
    ['for (let n = 0; n < 3; n++) await tools.echo({ a: "x".repeat(3_000_000) })', 'are too large'],
    ['await tools["x".repeat(1000)]({})', 'name of the tool is too long'],
  ])('sends no arguments that cost the host much: %s', async (program, message) => {
    const text = await programs.run(`try { ${program}; return 'sent' } catch (error) { return error.message }`);
    expect(text).toContain(message);
  });

  test('cannot follow a task', async () => {
    const view = { call: async () => ({ resultType: 'task', task: { taskId: '1' } }) as never };
    const code = 'try { await tools.export() } catch (error) { return error.message }';
    const answer = await programs.code.run(view, { code }, {});
    expect(textOf(answer)).toBe('export began a task, which a program cannot follow');
  });

  test('sees no path of the host in the error of a refused call', async () => {
    const program = 'try { await tools["x".repeat(1000)]({}) } catch (error) { return "caught " + error.stack }';
    const text = await programs.run(program);
    expect(text).toContain('caught');
    expect(text).not.toMatch(/file:|node_modules|sandbox/);
  });

  test('runs types where the runtime removes them', async () => {
    const answer = await programs.run('const a: number = 1;\nreturn a as unknown');
    const isTypeScript = programs.code.tool.description?.includes('TypeScript');
    expect(answer).toMatch(isTypeScript ? /^1$/ : /^Line 1: SyntaxError/);
  });

  test('removes types that are JavaScript of another meaning', async () => {
    const answer = await programs.run('const string = 1;\nreturn new Set<string>(["a"]).size');
    const isTypeScript = programs.code.tool.description?.includes('TypeScript');
    expect(answer).toMatch(isTypeScript ? /^1$/ : /^false$/);
  });
});

describe('calls of a program', () => {
  test('run at once, up to the limit, each with the caller’s meta, and report progress', async () => {
    const registry = createRegistry();
    let running = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const source = createListSource('s', [tool('slow')], async () => {
      most = Math.max(most, ++running);
      if (running === 4) for (const go of waiting.splice(0)) go();
      else await new Promise<void>((resolve) => waiting.push(resolve));
      running -= 1;
      return textResult('done');
    });
    await registry.attach(source).ready;
    const onProgress = vi.fn();
    const program = 'return (await Promise.all(Array.from({ length: 8 }, () => tools.mcp__s__slow()))).length';
    const surface = createConstantSurface(registry, { code: programs.code });
    const options = { meta: { traceparent: '00-1' }, onProgress };
    expect(textOf(await surface.call('execute_mcp_code', { code: program }, options))).toBe('8');
    expect(most).toBe(4);
    expect(source.calls.map(({ options: { meta } }) => meta)).toEqual(Array(8).fill({ traceparent: '00-1' }));
    expect(onProgress).toHaveBeenLastCalledWith({ progress: 8, message: 'mcp__s__slow' });
  });

  test('go through the view: roles hide tools, and each call is in the audit', async () => {
    const events: AuditEvent[] = [];
    const registry = createRegistry({
      roles: [{ role: 'reader', allowedTools: ['s.read'] }],
      audit: (event: AuditEvent) => void events.push(event),
    });
    await registry.attach(createListSource('s', [tool('read'), tool('write')])).ready;
    const program = `const read = await tools.mcp__s__read();
return [read, await tools.mcp__s__write().catch((error) => error.message)]`;
    const text = await programs.runOn(registry.view({ role: 'reader', principal: 'ann' }), program);
    expect(JSON.parse(text)).toEqual(['s ran read', expect.stringContaining('no tool named "mcp__s__write"')]);
    const called = events.filter(({ action }) => action === 'call');
    expect(called).toMatchObject([
      { role: 'reader', principal: 'ann', tool: 'read', outcome: 'started' },
      { role: 'reader', principal: 'ann', tool: 'read', outcome: 'ok' },
      { role: 'reader', principal: 'ann', tool: 'write', decision: 'denied' },
    ]);
  });

  test('are aborted with the request, and with the time limit', async () => {
    const registry = createRegistry();
    const signals: AbortSignal[] = [];
    let onBegin = (): void => undefined;
    registry.register({ name: 'wait', description: 'Waits' }, (_, { signal }) => {
      signals.push(signal);
      onBegin();
      return new Promise(() => undefined);
    });
    const controller = new AbortController();
    onBegin = () => controller.abort(new Error('enough'));
    const call = programs.runOn(registry, 'await tools.wait()', { signal: controller.signal });
    await expect(call).rejects.toThrow('enough');
    onBegin = () => undefined;
    await using short = await openPrograms({ timeoutMs: 200 });
    expect(await short.runOn(registry, 'console.log("begins"); await tools.wait()')).toBe(
      'The program did not end within 200 milliseconds, which is its limit.\nLog:\nbegins',
    );
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(await programs.run('return 1')).toBe('1');
  });
});

describe('a runner', () => {
  test('runs several programs at a time, and refuses more than it may', async () => {
    await using two = await openPrograms({ maxPrograms: 2 });
    let go = (): void => undefined;
    const open = new Promise<void>((resolve) => {
      go = resolve;
    });
    let waiting = 0;
    const bothWait = new Promise<void>((resolve) => {
      two.registry.register({ name: 'gate', description: 'Waits' }, async () => {
        waiting += 1;
        if (waiting === 2) resolve();
        await open;
        return 'through';
      });
    });
    const both = [two.run('return await tools.gate()'), two.run('return await tools.gate()')];
    await bothWait;
    const message = '2 programs are running, which is the limit. Try again later.';
    expect(await two.code.run(two.registry, { code: 'return 1' }, {})).toEqual({
      content: [{ type: 'text', text: message }],
      structuredContent: { error: { code: 'busy', message } },
      isError: true,
    });
    go();
    expect(await Promise.all(both)).toEqual(['through', 'through']);
    expect(await two.run('return 1')).toBe('1');
  });

  test('leaves programs to others: each client or principal has its own limit', async () => {
    await using code = await openCodeRunner({ maxPrograms: 4, maxProgramsPerCaller: 1 });
    await using registry = createRegistry({ roles: [{ role: 'worker', allowedTools: ['gate'] }] });
    const gate = withResolvers();
    const entered = withResolvers();
    let waiting = 0;
    registry.register({ name: 'gate', description: 'Waits' }, async () => {
      waiting += 1;
      if (waiting === 3) entered.resolve();
      await gate.promise;
      return 'through';
    });
    const view = (principal: string) => registry.view({ role: 'worker', principal });
    const run = (on: RegistryView, options: CallToolOptions = {}, program = 'return await tools.gate()') =>
      code.run(on, { code: program }, options);
    const from = (owner: unknown): CallToolOptions => ({
      handler: { client: {}, owner, capabilities: {}, answer: () => Promise.reject(new Error('not asked')) },
    });
    const running = [run(view('ada')), run(view('ada'), from('a client')), run(registry)];
    await entered.promise;
    const message = 'This client has 1 program running, which is its limit. Try again later.';
    const busy = { structuredContent: { error: { code: 'busy', message } }, isError: true };
    expect(await run(view('ada'))).toMatchObject(busy);
    expect(await run(view('eve'), from('a client'))).toMatchObject(busy);
    expect(textOf(await run(view('eve'), {}, 'return 1'))).toBe('1');
    expect(textOf(await run(registry, {}, 'return 1'))).toBe('1');
    gate.resolve();
    expect((await Promise.all(running)).map(textOf)).toEqual(['through', 'through', 'through']);
    expect(textOf(await run(view('ada'), {}, 'return 1'))).toBe('1');
  });

  test('ends its programs when it closes, twice as well as once', async () => {
    const closing = await openPrograms();
    let onBegin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      onBegin = resolve;
    });
    closing.registry.register({ name: 'wait', description: 'Waits' }, () => {
      onBegin();
      return new Promise(() => undefined);
    });
    const run = closing.run('await tools.wait()');
    const failed = expect(run).rejects.toMatchObject({ code: 'closed' });
    await begun;
    await Promise.all([closing.code.close(), closing.code.close()]);
    await failed;
    await expect(closing.run('return 1')).rejects.toMatchObject({ code: 'closed' });
    await closing.registry.close();
  });

  test('does not keep a process alive between programs', async () => {
    const program = `const code = await openCodeRunner();
const { content } = await code.run({ call: async () => ({ content: [] }) }, { code: 'return 1 + 1' }, {});
console.log(content[0].text);`;
    expect(await runInNode(built, program)).toBe('2\n');
  });

  test('names the package that is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'registry-'));
    try {
      await cp(built, join(folder, 'dist'), { recursive: true });
      await cp(new URL('../package.json', built), join(folder, 'package.json'));
      const program = 'await openCodeRunner().catch(({ code, message }) => console.log(code, message))';
      expect(await runInNode(pathToFileURL(join(folder, 'dist/')), program)).toMatch(
        /^missing-package .* Run "npm install quickjs-wasi"\.\n$/,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each<[object, RegExp]>([
    [{ timeout: 1 }, /timeout/],
    [{ timeoutMs: 0 }, /timeoutMs must be a whole number of milliseconds from 1/],
    [{ maxMemoryBytes: 1 }, /maxMemoryBytes must be a whole number of bytes from 1048576/],
  ])('refuses %j', async (options, message) => {
    await expect(openCodeRunner(options)).rejects.toThrow(message);
  });
});

describe('what a program returns', () => {
  const line = 'one line of a long text\n';

  async function openSurface(interceptors: readonly Interceptor[]) {
    const meta = { ui: { visibility: ['app'] } };
    const source = createListSource('shop', [tool('list'), { ...tool('pay'), _meta: meta }], async () =>
      textResult(line.repeat(400)),
    );
    const registry = createRegistry({ interceptors });
    await registry.attach(source).ready;
    const surface = createConstantSurface(registry, { code: programs.code });
    const run = async (code: string) => surface.call('execute_mcp_code', { code });
    return { surface, run };
  }

  test('is limited like any result, and all of it can be read', async () => {
    const { surface, run } = await openSurface([limitResults({ maxTokens: 500 })]);
    const answer = await run('return (await tools.mcp__shop__list({})).length');
    expect(textOf(answer)).toBe(String(line.length * 400)); // the program itself has all of it
    const long = JSON.stringify((await run('return await tools.mcp__shop__list({})')).content);
    expect(long.length).toBeLessThan(4_000);
    const id = /"id\\":\\"(\w+)/.exec(long)?.[1];
    const page = await surface.call('read_mcp_result', { id, offset: 9_000 });
    expect(textOf(page)).toContain('one line of a long text');
  });

  test('is marked and redacted like what a server returns', async () => {
    const { run } = await openSurface([spotlightResults(), redactResults({ redact: ['hunter2-horse'] })]);
    const text = textOf(await run("return ['hunter2', 'horse'].join('-')"));
    expect(text).toMatch(/^\[data \w+, returned by execute_mcp_code: .*\]\n\*\*\*\n\[end of data \w+\]$/);
  });

  test('is no result of a tool that only apps call', async () => {
    const { run } = await openSurface([]);
    expect(textOf(await run('return await tools.mcp__shop__pay({})'))).toContain(
      'A program does not call mcp__shop__pay, which is for the app of its server',
    );
  });
});
