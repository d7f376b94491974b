import { describe, expect, test } from 'vitest';
import { ExactNames } from '../../../src/search/index/exact-names.js';

const toolOf = (name: string, server: string | undefined, own: string) => ({ name, server, tool: own });

function namesOf(...tools: ReturnType<typeof toolOf>[]) {
  const names = new ExactNames();
  for (const each of tools) names.add(each);
  return names;
}

describe('exact names', () => {
  test.each(['mcp__git__Log', 'MCP__GIT__LOG', 'git.log', 'Git/Log', 'log', ' LOG '])('%j means the tool', (text) => {
    expect(namesOf(toolOf('mcp__git__Log', 'git', 'Log')).find(text)).toEqual(['mcp__git__Log']);
  });

  test.each(['lo', 'git', 'git.', '.log', 'git log', 'it.log', 'mcp__git__', ''])('%j is not an exact name', (text) => {
    expect(namesOf(toolOf('mcp__git__log', 'git', 'log')).find(text)).toEqual([]);
  });

  test('that are the public name of one tool and the own name of another mean the first before the second', () => {
    const names = namesOf(toolOf('mcp__a__x', 'a', 'x'), toolOf('x', undefined, 'x'), toolOf('mcp__b__x', 'b', 'x'));
    expect(names.find('x')).toEqual(['x', 'mcp__a__x', 'mcp__b__x']);
  });

  test('may be split at each dot and slash, because servers and tools may have them', () => {
    const names = namesOf(toolOf('one', 'a.b', 'c/d'), toolOf('two', 'a', 'b.c/d'));
    expect(names.find('a.b.c/d')).toEqual(['two', 'one']);
    expect(names.find('a.b/c/d')).toEqual(['one']);
  });

  test('that differ in case only are all found', () => {
    expect(namesOf(toolOf('mcp__a__x', 'a', 'x'), toolOf('mcp__a__X', 'a', 'X')).find('a.x')).toHaveLength(2);
  });

  test('are removed one tool at a time', () => {
    const [first, second] = [toolOf('mcp__a__x', 'a', 'x'), toolOf('mcp__b__x', 'b', 'x')];
    const names = namesOf(first, second);
    names.remove(first);
    expect(names.find('x')).toEqual(['mcp__b__x']);
    names.remove(first);
    names.remove(second);
    expect(['x', 'mcp__b__x', 'b.x'].flatMap((text) => names.find(text))).toEqual([]);
  });
});
