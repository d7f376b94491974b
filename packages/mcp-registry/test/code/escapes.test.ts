import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPrograms, type Programs } from './programs.js';

let programs: Programs;
/** For programs that use up their time. */
let impatient: Programs;
const limits = { maxComputeMs: 20_000, maxMemoryBytes: 16 * 1024 * 1024, maxOutputCharacters: 2_000 };

beforeAll(async () => {
  programs = await openPrograms(limits);
  impatient = await openPrograms({ ...limits, maxComputeMs: 500 });
});
afterAll(async () => {
  await programs[Symbol.asyncDispose]();
  await impatient[Symbol.asyncDispose]();
});

/** Names that only a host has. */
const HOST = `['process', 'require', 'module', 'Buffer', 'fetch', 'WebAssembly', 'setTimeout', 'setInterval', 'setImmediate',
  'importScripts', 'Worker', 'postMessage', 'structuredClone', '__host', 'std', 'os', 'scriptArgs', 'Deno', 'Bun', 'window', 'global']`;

/** Each tries to reach the host, or to take what it needs. The second text is in the answer. */
const escapes: readonly (readonly [name: string, program: string, answer: string | RegExp])[] = [
  ['globals of a host', `return ${HOST}.filter((name) => name in globalThis)`, '[]'],
  ['the constructor of a constructor', 'return this.constructor.constructor("return typeof process")()', 'undefined'],
  [
    'the constructor of a host function',
    `const f = tools.add.constructor('return this'); return ${HOST}.filter((name) => name in f())`,
    '[]',
  ],
  [
    'the constructor of a result',
    'return (await tools.add({ a: 1, b: 1 })).constructor.constructor("return typeof process")()',
    'undefined',
  ],
  [
    'the constructor of an error',
    'try { await tools.fail() } catch (e) { return e.constructor.constructor("return typeof process")() }',
    'undefined',
  ],
  [
    'the constructor of a promise',
    'return tools.add({}).constructor.constructor("return typeof process")()',
    'undefined',
  ],
  ['the caller of a function', 'function f() { return f.caller } return String(f())', /undefined|null|TypeError/],
  ['a module of Node', 'return await import("node:fs").then(() => "OUT", (e) => "refused")', 'refused'],
  ['a module by its path', 'return await import("/etc/passwd").then(() => "OUT", (e) => "refused")', 'refused'],
  [
    'a module of the engine',
    'return await import("std").then(() => "OUT", () => import("os")).then(() => "OUT", () => "refused")',
    'refused',
  ],
  ['an import statement', 'import fs from "node:fs"; return "OUT"', /SyntaxError/],
  ['code after the program', '}); globalThis.late = 1; (async () => { return typeof process', 'undefined'],
  ['indirect eval', 'return (0, eval)("typeof process + typeof require")', 'undefinedundefined'],
  [
    'pollution of prototypes',
    'Object.prototype.polluted = 1; Array.prototype.polluted = 1; Function.prototype.call = null; return "done"',
    'done',
  ],
  [
    'a key __proto__ as argument',
    'return await tools.echo(JSON.parse(\'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\'))',
    /polluted|\{/,
  ],
  ['a getter as argument', 'return await tools.echo({ get a() { return typeof process } })', '{"a":"undefined"}'],
  [
    'a proxy as argument',
    'return await tools.echo(new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (_, k) => k === "a" ? 7 : undefined }))',
    '{"a":7}',
  ],
  ['a thenable as argument', 'return await tools.echo({ then: 1, a: { then(f) { f("OUT") } } })', '{"then":1,"a":{}}'],
  ['a thenable as result', 'return { then(resolve) { resolve({ then(again) { again("twice") } }) } }', 'twice'],
  [
    'toJSON of an argument',
    'return await tools.echo({ toJSON() { return { a: globalThis.constructor.name } } })',
    '{"a":"Object"}',
  ],
  [
    'toJSON of all values',
    'Object.prototype.toJSON = () => "forged"; return await tools.add({ a: 1, b: 2 }).catch((e) => String(e))',
    /forged|object|sum/,
  ],
  [
    'replaced JSON and Promise',
    'JSON.stringify = () => "OUT"; JSON.parse = () => "OUT"; globalThis.Promise = class {}; return await tools.add({ a: 1, b: 2 })',
    '{"sum":3}',
  ],
  [
    'Symbol.species',
    'class P extends Promise { static get [Symbol.species]() { return Function } } return await new P((f) => f(1)).then(() => typeof process).catch(() => "refused")',
    /SyntaxError/,
  ],
  [
    'Symbol.toPrimitive as a name',
    'return await tools[{ [Symbol.toPrimitive]: () => "add" }]({ a: 2, b: 2 })',
    '{"sum":4}',
  ],
  [
    'an async generator that is left',
    'async function* g() { try { yield 1; yield 2 } finally { await tools.add({ a: 1, b: 1 }) } } for await (const x of g()) return x',
    '1',
  ],
  [
    'the stack of an error',
    'Error.prepareStackTrace = (_, frames) => frames; const { stack } = new Error(); return String(stack).includes("/") ? "OUT " + stack : "hidden"',
    'hidden',
  ],
  ['a cyclic value', 'const a = {}; a.a = a; return a', /circular/],
  ['a busy loop', 'for (;;) {}', /computed for more than 500 milliseconds/],
  [
    'a busy loop that catches',
    'for (;;) try { for (;;) {} } catch {} finally { continue }',
    /computed for more than 500 milliseconds/,
  ],
  ['endless microtasks', 'for (;;) await null', /computed for more than 500 milliseconds/],
  [
    'a regular expression without end',
    'return /^(a+)+$/.test("a".repeat(40) + "!")',
    /computed for more than 500 milliseconds/,
  ],
  [
    'a search that the engine does not interrupt',
    'return "a".repeat(1e6).lastIndexOf("a".repeat(5e5) + "b")',
    /computed for more than 500 milliseconds|^-1/,
  ],
  [
    'a sort without end',
    'return new Array(1e6).fill(1).sort(() => { for (;;); })',
    /computed for more than 500 milliseconds|memory/,
  ],
  ['endless memory', 'const all = []; for (;;) all.push(new Array(1000).fill(all.length))', /out of memory|computed/],
  [
    'endless memory that catches',
    'const all = []; for (;;) try { all.push("x".repeat(1e6) + all.length) } catch {}',
    /out of memory|computed/,
  ],
  ['a huge text', 'return "x".repeat(2 ** 29)', /out of memory|invalid string length/],
  ['a huge buffer', 'return new ArrayBuffer(2 ** 31 - 1).byteLength', /out of memory|invalid/],
  ['a huge number', 'let x = 3n; for (;;) x = x * x', /too large|computed|memory/],
  ['endless recursion', 'const f = () => f() + 1; return f()', /Maximum call stack size exceeded/],
  [
    'endless recursion of a getter',
    'const a = { get a() { return this.a } }; return a',
    /Maximum call stack size exceeded/,
  ],
  [
    'deep nesting as result',
    'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a',
    /Maximum call stack size exceeded|computed/,
  ],
  [
    'a flood of calls',
    'let all = 0; for (;;) { if (await tools.text().then(() => 0, (e) => e.message.includes("limit"))) return "limited" }',
    'limited',
  ],
  [
    'a flood of arguments',
    'const big = "x".repeat(1e6); const all = Array.from({ length: 90 }, () => tools.echo({ big })); return (await Promise.all(all.map((one) => one.catch((e) => e.message)))).at(-1)',
    /too large|out of memory/,
  ],
  ['a promise that never settles', 'await new Promise(() => {})', /nothing settles/],
  [
    'Atomics that wait',
    'return typeof Atomics === "undefined" ? "no" : Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e6)',
    /no|cannot|TypeError|Error/,
  ],
  ['a returned value that is too long', 'return "y".repeat(100_000)', /… \(100000 characters, cut: return less\)$/],
  ['a log that is too long', 'for (let i = 0; i < 1e4; i++) console.log("z".repeat(100)); return 1', /^1\nLog:\nz/],
];

describe('a program cannot get out', () => {
  test('the suite has at least 30 programs', () => {
    expect(escapes.length).toBeGreaterThanOrEqual(30);
  });

  test.each(escapes)('by %s', async (_, program, answer) => {
    const { run } = String(answer).includes('computed') ? impatient : programs;
    const text = await run(program);
    if (typeof answer === 'string') expect(text).toBe(answer);
    else expect(text).toMatch(answer);
    expect(text).not.toContain('OUT');
    expect(text.length).toBeLessThan(2 * limits.maxOutputCharacters + 200);
    // The host is unchanged, and the next program sees nothing of the last one.
    expect(Object.keys(Object.prototype).concat(Object.keys(Array.prototype))).toEqual([]);
    expect(await run('return [typeof late, ({}).polluted, (await tools.add({ a: 1, b: 2 })).sum]')).toBe(
      '["undefined",null,3]',
    );
  });

  test('by promises after its end', async () => {
    let calls = 0;
    const { registry, run } = programs;
    registry.register({ name: 'hang', description: 'Hangs' }, () => new Promise(() => undefined));
    registry.register({ name: 'count', description: 'Counts' }, () => {
      calls += 1;
      return '';
    });
    const again = 'const again = () => tools.count().then(again, again); again(); tools.hang().finally(again)';
    expect(await run(`${again}; return "ended"`)).toMatch(/^ended\n\(The program ended before [12] of its calls/);
    const after = calls;
    expect(await run('return await tools.count()')).toBe('');
    expect(calls).toBe(after + 1);
  });
});
