import { expect, test } from 'vitest';
import { expandTemplate, variablesOf } from '../../dashboard/src/views/uri-template.js';

// Examples of RFC 6570 with texts.
const values = { var: 'value', hello: 'Hello World!', path: '/foo/bar', x: '1024', y: '768', empty: '' };

test.each([
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World!'],
  ['{+path}/here', '/foo/bar/here'],
  ['here?ref={+path}', 'here?ref=/foo/bar'],
  ['X{#var}', 'X#value'],
  ['map?{x,y}', 'map?1024,768'],
  ['X{.var}', 'X.value'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{;x,y}', ';x=1024;y=768'],
  ['{?x,y}', '?x=1024&y=768'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{?x,undef}', '?x=1024'],
  ['a{undef}b', 'ab'],
  ['plain://{not closed', 'plain://{not closed'],
])('%s is %s', (template, expected) => {
  expect(expandTemplate(template, values)).toBe(expected);
});

test('names each variable once, without its modifiers', () => {
  expect(variablesOf('a://{x}/{y*}{?x,z:3}')).toEqual(['x', 'y', 'z']);
  expect(variablesOf('trip://1')).toEqual([]);
  expect(expandTemplate('{constructor}{__proto__}', {})).toBe('');
});
