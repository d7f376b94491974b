import { UriTemplate } from '@modelcontextprotocol/client';
import { appLinkOf } from '@x/internal/app-tools';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fromGatewayUri,
  rewriteAppLink,
  rewriteContent,
  rewriteContents,
  rewriteMessages,
  toGatewayUri,
} from '../../../src/gateway/naming/gateway-names.js';

const server = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[A-Za-z0-9_.+-]{1,12}$/),
  fc.constantFrom('git', 'Git', 'g+it', 'g+69t', 'mcp+git'),
);
const uri = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.webUrl(),
  fc.constantFrom('', ':', 'a:b', 'file:///a b', '../x', 'ui://', 'ui:x', 'ui://mcp+git/x', 'skill:///', 'UI://x'),
  fc.string({ unit: 'binary' }).map((rest) => `ui://${rest}`),
);

test('any URI and server survive a round trip', () => {
  fc.assert(
    fc.property(server, uri, fc.array(server), (name, original, others) => {
      const given = toGatewayUri({ server: name, uri: original });
      expect(fromGatewayUri(given, [...others, name])).toEqual({ server: name, uri: original });
    }),
  );
});

test('no two resources have the same URI', () => {
  fc.assert(
    fc.property(server, uri, server, uri, (left, leftUri, right, rightUri) => {
      fc.pre(left !== right || leftUri !== rightUri);
      expect(toGatewayUri({ server: left, uri: leftUri })).not.toBe(toGatewayUri({ server: right, uri: rightUri }));
    }),
  );
});

test('the prefix is a valid scheme with the server', () => {
  fc.assert(
    fc.property(server, (name) => {
      expect(toGatewayUri({ server: name, uri: 'file:///a' })).toMatch(/^mcp\+[a-z0-9+.-]*:file:\/\/\/a$/);
    }),
  );
  expect(toGatewayUri({ server: 'git-hub', uri: 'repo://a/b' })).toBe('mcp+git-hub:repo://a/b');
  expect(toGatewayUri({ server: 'My_Files', uri: 'x' })).toBe('mcp++4dy+5f+46iles:x');
});

test('the URI of an app or a skill keeps its scheme, and relative references', () => {
  expect(toGatewayUri({ server: 'chart', uri: 'ui://chart/app.html' })).toBe('ui://mcp+chart/chart/app.html');
  const skill = toGatewayUri({ server: 'My_Files', uri: 'skill://greeting/SKILL.md' });
  expect(skill).toBe('skill://mcp++4dy+5f+46iles/greeting/SKILL.md');
  const file = new URL('references/words.md', skill).href;
  expect(fromGatewayUri(file, ['My_Files'])).toEqual({
    server: 'My_Files',
    uri: 'skill://greeting/references/words.md',
  });
  expect(fromGatewayUri('UI://MCP+CHART/A', ['chart'])).toEqual({ server: 'chart', uri: 'ui://A' });
  for (const other of [
    'ui://chart/app.html',
    'ui://mcp+chart',
    'ui:mcp+chart/x',
    'ui://mcp+other/x',
    'data://mcp+chart/x',
  ]) {
    expect(fromGatewayUri(other, ['chart'])).toBeUndefined();
  }
});

test('a template stays a template, which expands to URIs with the prefix of its server', () => {
  const variables = { path: 'a b/c', name: 'x', list: ['1', '2'] };
  const templates = [
    'ui://{name}',
    'test://{name}',
    '{+path}/here',
    'db:/{path}{?name,list}',
    '{/list*}{#path}',
    'a{.name}',
  ];
  for (const template of templates) {
    const expanded = new UriTemplate(template).expand(variables);
    const prefixed = new UriTemplate(toGatewayUri({ server: 'My_Files', uri: template })).expand(variables);
    expect(prefixed).toBe(toGatewayUri({ server: 'My_Files', uri: expanded }));
  }
});

test('rejects a URI of an unknown server, and one without a prefix', () => {
  const known = ['git'];
  for (const other of ['mcp+hub:x', 'file:///a', 'mcp+git', '', ':', 'mcp+gi:t', 'mcp:git:x', ' mcp+git:x']) {
    expect(fromGatewayUri(other, known)).toBeUndefined();
  }
  expect(fromGatewayUri('MCP+GIT:File:///A', known)).toEqual({ server: 'git', uri: 'File:///A' });
});

const rewrite = (uri: string) => `x:${uri}`;
const untouched = {
  _meta: { uri: 'a:1', resource: { uri: 'a:1' } },
  structuredContent: { uri: 'a:1', type: 'resource_link' },
  'x-extra': { uri: 'a:1' },
};

test('rewrites links and embedded resources of a result, and nothing else', () => {
  const text = { type: 'text', text: 'see a:1', uri: 'a:1', _meta: { uri: 'a:1' } };
  const result = rewriteContent(
    {
      ...untouched,
      content: [
        text,
        { type: 'resource_link', uri: 'a:1', name: 'one', _meta: { uri: 'a:1' } },
        { type: 'resource', resource: { uri: 'a:2', text: 'a:2', _meta: { uri: 'a:2' } }, 'x-extra': 1 },
        { type: 'resource' },
        'no block',
      ],
    },
    rewrite,
  );
  expect(result).toEqual({
    ...untouched,
    content: [
      text,
      { type: 'resource_link', uri: 'x:a:1', name: 'one', _meta: { uri: 'a:1' } },
      { type: 'resource', resource: { uri: 'x:a:2', text: 'a:2', _meta: { uri: 'a:2' } }, 'x-extra': 1 },
      { type: 'resource' },
      'no block',
    ],
  });
});

test('rewrites the messages of a prompt with one block or a list of blocks', () => {
  const link = { type: 'resource_link', uri: 'a:1', name: 'one' };
  const messages = [{ role: 'user', content: link }, { role: 'user', content: [link] }, { role: 'user' }, 7];
  const rewritten = { ...link, uri: 'x:a:1' };
  expect(rewriteMessages({ ...untouched, messages }, rewrite)).toEqual({
    ...untouched,
    messages: [{ role: 'user', content: rewritten }, { role: 'user', content: [rewritten] }, { role: 'user' }, 7],
  });
});

test('rewrites the contents of a read resource', () => {
  const contents = [{ uri: 'a:1', text: 'a:1', 'x-extra': 1 }, { text: 'no URI' }];
  expect(rewriteContents({ ...untouched, contents }, rewrite)).toEqual({
    ...untouched,
    contents: [{ uri: 'x:a:1', text: 'a:1', 'x-extra': 1 }, { text: 'no URI' }],
  });
});

test('passes other values through', () => {
  for (const odd of [{}, { content: 1, messages: 2, contents: 3 }]) {
    expect(rewriteContent(odd, rewrite)).toBe(odd);
    expect(rewriteMessages(odd, rewrite)).toBe(odd);
    expect(rewriteContents(odd, rewrite)).toBe(odd);
  }
});

test('rewrites both links to an app, and nothing else of _meta', () => {
  const meta = { ui: { resourceUri: 'ui://a', visibility: ['app'] }, 'ui/resourceUri': 'ui://b', uri: 'a:1' };
  expect(rewriteAppLink({ name: 'x', _meta: meta }, rewrite)).toEqual({
    name: 'x',
    _meta: { ui: { resourceUri: 'x:ui://a', visibility: ['app'] }, 'ui/resourceUri': 'x:ui://b', uri: 'a:1' },
  });
  expect(appLinkOf({ _meta: meta })).toBe('ui://a');
  expect(appLinkOf({ _meta: { 'ui/resourceUri': 'ui://b' } })).toBe('ui://b');
  for (const odd of [{}, { _meta: 7 }, { _meta: { ui: 7 } }, { _meta: { ui: { resourceUri: 7 } } }]) {
    expect(rewriteAppLink(odd, rewrite)).toBe(odd);
    expect(appLinkOf(odd)).toBeUndefined();
  }
});
