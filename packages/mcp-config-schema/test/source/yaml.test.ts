import { describe, expect, test } from 'vitest';
import { checkText, onlyIssue, placesOf, serverOf } from '../helpers/check-text.js';

describe('YAML', () => {
  test('names that look like numbers or booleans are names, as written', () => {
    const text =
      'mcp_servers:\n  123: {command: a}\n  1.0: {command: a}\n  yes: {command: a}\n  true: {command: a}\n  0x1F: {command: a}\n';
    expect(checkText(text).config?.servers.map((server) => server.name)).toEqual(['123', '1.0', 'yes', 'true', '0x1F']);
  });

  test('other spellings of a name are the same name', () => {
    expect(placesOf(checkText('mcp_servers:\n  1: {command: a}\n  "1": {command: b}\n'))).toEqual([
      '3:3 duplicate-key',
    ]);
  });

  test('a value that looks like text but is not is rejected with a remedy', () => {
    const text = 'mcp_servers:\n  a:\n    command: x\n    auto_start: yes\n    env: { PORT: 8080 }\n';
    expect(checkText(text).issues).toMatchObject([
      { line: 4, column: 17, hint: 'in YAML 1.2 yes, no, on and off are text; write true or false' },
      { line: 5, column: 18, hint: 'put it in quotes', message: expect.not.stringContaining('8080') },
    ]);
  });

  test('tabs, a second document, a tag and a key that is not text are syntax errors at their positions', () => {
    expect(placesOf(checkText('mcp_servers:\n\ta: 1\n\tb: 2\n'))).toEqual(['2:1 syntax', '3:1 syntax']);
    expect(placesOf(checkText('mcp_servers: {}\n---\nmcp_servers: {}\n'))).toEqual(['2:1 syntax']);
    expect(placesOf(checkText('mcp_servers: !include x.yaml\n'))).toEqual(['1:14 syntax']);
    expect(placesOf(checkText('mcp_servers:\n  ? [a]\n  : {}\n'))).toEqual(['2:5 syntax']);
  });

  test('anchors, aliases and merge keys work, and explicit keys win', () => {
    const text = `mcp_servers:
  a: &base { command: x, tags: [t], auto_start: true }
  b: *base
  c:
    auto_start: false
    <<: *base
  d:
    <<: [{ command: y }, *base]
`;
    const check = checkText(text);
    expect(serverOf(check, 'b')).toMatchObject({ command: 'x', tags: ['t'], autoStart: true });
    expect(serverOf(check, 'c')).toMatchObject({ command: 'x', tags: ['t'], autoStart: false });
    expect(serverOf(check, 'd')).toMatchObject({ command: 'y', autoStart: true });
  });

  test('a repeated anchor has its last value', () => {
    const text = 'mcp_servers:\n  a: { command: &c x }\n  b: { command: &c y }\n  c: { command: *c }\n';
    expect(serverOf(checkText(text), 'c')).toMatchObject({ command: 'y' });
  });

  test('a fault inside an alias has the position of the value', () => {
    expect(placesOf(checkText('mcp_servers:\n  a: &a { command: x, tags: 5 }\n  b: *a\n'))).toContain(
      '2:29 invalid-value',
    );
  });

  test('an alias without an anchor, or inside itself, is a syntax error', () => {
    expect(onlyIssue(checkText('mcp_servers: { a: *nobody }\n'))).toMatchObject({ code: 'syntax', column: 19 });
    expect(onlyIssue(checkText('mcp_servers: &a\n  a: *a\n'))).toMatchObject({ code: 'syntax', line: 2, column: 6 });
    expect(onlyIssue(checkText('mcp_servers: { a: { <<: text } }\n'))).toMatchObject({ code: 'syntax' });
  });

  test('a few lines of aliases with billions of values are rejected', () => {
    const row = (name: string, of: string) => `${name}: &${name} [${Array(10).fill(of).join(',')}]\n`;
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    const text = names.map((name, index) => row(name, index === 0 ? 'x' : `*${names[index - 1]}`)).join('');
    expect(onlyIssue(checkText(text))).toMatchObject({ code: 'too-large', unit: 'parts' });
  });

  test('aliases cannot be nested beyond the limit', () => {
    const names = Array.from({ length: 120 }, (_, index) => `n${index}`);
    const text = names
      .map((name, index) => `${name}: &${name} [${index === 0 ? 'x' : `*${names[index - 1]}`}]\n`)
      .join('');
    expect(checkText(text).issues.map((issue) => issue.code)).toContain('too-deep');
  });

  test.each([
    ['an alias', '*hunter2S3cret'],
    ['a tag', '!hunter2S3cret x'],
    ['a tag in full', '!<hunter2S3cret> x'],
    ['a tag with an end that is none', '!<hunter2S3cret x'],
    ['a tag of an unknown kind', '!hunter2S3cret!x x'],
    ['an escape', '"\\hunter2S3cret"'],
    ['an escape of digits', '"\\xhunter2S3cret"'],
    ['what follows a block sign', '|hunter2S3cret'],
    ['what follows a text', '"x" hunter2S3cret'],
    ['what follows a list', '[x] hunter2S3cret'],
    ['an ordered mapping', '!!omap [hunter2S3cret: x, hunter2S3cret: y]'],
    ['a nested mapping', 'a: hunter2S3cret'],
    ['a reserved character', '@hunter2S3cret'],
    ['a text without its end', '"hunter2S3cret'],
    ['a stray bracket', ']hunter2S3cret'],
    ['an anchor twice', '&hunter2S3cret &hunter2S3cret x'],
  ])('a syntax error never quotes the text: %s', (_what, value) => {
    const { issues } = checkText(`mcp_servers:\n  a:\n    command: x\n    env:\n      DB_PASSWORD: ${value}\n`);
    expect(issues.map(({ code }) => code)).toContain('syntax');
    expect(JSON.stringify(issues)).not.toMatch(/hunter|S3cret|\\\\[hx]/);
  });

  test.each(['{{root}}/x.py', '{{ root }}/x.py', '{{root}}', '[x, {{root}}/x.py]', '\n      - {{root}}/x.py'])(
    'an unquoted template is a map to YAML, with a hint: %j',
    (value) => {
      const issue = onlyIssue(checkText(`mcp_servers:\n  a:\n    command: ${value}\n`));
      expect(issue.code).toBe('syntax');
      expect(issue.hint).toMatch(/in quotes/);
    },
  );

  test('repeated directives and other YAML versions are rejected', () => {
    for (const directive of ['%YAML hunter2', '%hunter2 x', '%TAG hunter2', '%YAML 1.1 hunter2']) {
      expect(JSON.stringify(checkText(`${directive}\n---\nmcp_servers: {}\n`).issues)).not.toContain('hunter2');
    }
    const text = '---\nmcp_servers:\n  a: { command: y }\n';
    expect(onlyIssue(checkText(`%YAML 1.1\n${text}`))).toMatchObject({ code: 'syntax', line: 1, column: 1 });
    expect(checkText(`%YAML 1.2\n${text}`).config?.servers).toMatchObject([{ command: 'y' }]);
  });

  test('a byte order mark and CRLF change nothing', () => {
    const check = checkText('\uFEFFmcp_servers:\r\n  a:\r\n    command: x y\r\n    nope: 1\r\n');
    expect(placesOf(check)).toEqual(['4:5 unknown-key']);
    expect(serverOf(checkText('\uFEFFmcp_servers:\r\n  a:\r\n    command: x y\r\n'), 'a')).toMatchObject({
      args: ['y'],
    });
  });
});

describe('texts with excessive cost are rejected', () => {
  test.each([
    ['brackets', '['.repeat(4_000_000), 'too-deep'],
    ['dashes', '- '.repeat(2_000_000), 'too-deep'],
    ['question marks', '? '.repeat(2_000_000), 'too-deep'],
    ['empty lines', '\n'.repeat(4_000_000), 'too-large'],
    ['closing brackets', '}'.repeat(4_000_000), 'syntax'],
    ['indentation', Array.from({ length: 500 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join(''), 'too-deep'],
    ['letters', 'a'.repeat(5_000_001), 'too-large'],
    ['letters of several bytes', '# ü'.repeat(1_500_000), 'too-large'],
  ])('%s', (_, text, code) => {
    expect(checkText(text).issues[0]?.code).toBe(code);
  });
});
