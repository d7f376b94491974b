import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { root } from '../root.mjs';

const reports = globSync('packages/*/api/*.api.md', { cwd: root });
const textOf = (file) => readFileSync(join(root, file), 'utf8');

test('public types contain no any', () => {
  expect(reports.length).toBeGreaterThan(10);
  const found = reports.flatMap((file) =>
    textOf(file)
      .split('\n')
      .filter((line) => /[:<|&(,=] *any\b/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test('optional options accept undefined, as callers with exactOptionalPropertyTypes pass it on', () => {
  expect(refusingUndefined('interface AOptions { a?: string; b?: unknown; c?: string | undefined }')).toEqual([
    'AOptions.a',
  ]);
  expect(refusingUndefined('function f(options?: { signal?: AbortSignal }): void;')).toEqual(['options.signal']);
  const found = reports.flatMap((file) => codeIn(textOf(file)).flatMap(refusingUndefined));
  // A lost option must not open everything.
  const kept = ['ViewOptions.role', 'ViewOptions.principal', 'ViewOptions.servers', 'RegistryViewOptions.interceptors'];
  expect(new Set(found)).toEqual(new Set(kept));
});

function codeIn(report) {
  return Array.from(report.matchAll(/```ts\n(.*?)```/gs), ([, code]) => code);
}

/** Optional members of `…Options` and of parameters named `options` without `undefined` in their type. */
function refusingUndefined(code) {
  const found = [];
  const visit = (node) => {
    if (ts.isInterfaceDeclaration(node) && node.name.text.endsWith('Options')) found.push(...refusing(node));
    if (ts.isParameter(node) && node.name.getText() === 'options' && node.type && ts.isTypeLiteralNode(node.type)) {
      found.push(...refusing({ name: node.name, members: node.type.members }));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('report.ts', code, ts.ScriptTarget.ESNext, true));
  return found;
}

function refusing({ name, members }) {
  return members
    .filter((member) => ts.isPropertySignature(member) && member.questionToken && !acceptsUndefined(member.type))
    .map((member) => `${name.getText()}.${member.name.getText()}`);
}

function acceptsUndefined(type) {
  const { kind } = type;
  if (kind === ts.SyntaxKind.UnknownKeyword || kind === ts.SyntaxKind.UndefinedKeyword) return true;
  return ts.isUnionTypeNode(type) && type.types.some(acceptsUndefined);
}
